// @ts-check
// The contract, as Swagger UI shows it. `validatorUrl` would ask another host for a badge.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#contract", deepLinking: true, validatorUrl: null });
