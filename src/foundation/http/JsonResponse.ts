import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** A response with a body that is JSON already, in the form of the contract: it is written without being encoded again. */
export const jsonResponse = (
  body: object,
  options: Pick<HttpServerResponse.Options, "headers" | "status"> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...options, contentType: "application/json" })
