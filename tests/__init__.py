from app.process import one_blas_thread

one_blas_thread()
