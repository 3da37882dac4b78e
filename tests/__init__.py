from app.threads import one_blas_thread

one_blas_thread()
