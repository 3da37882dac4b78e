// Names that every script may use: types of the contract, and Swagger UI's own script, which is no module.

export * from "./node_modules/contract"; // which make writes from docs/openapi.json
export as namespace Contract;

declare global {
  function SwaggerUIBundle(options: object): void;
}
