import * as HttpApiScalar from "@effect/platform/HttpApiScalar"

/** Where people read the contract in a browser. */
export const docsPath = "/docs"

/** The contract as pages; script and style are part of the page, so it works offline. */
export const layer = HttpApiScalar.layer({ path: docsPath })
