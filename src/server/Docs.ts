import * as HttpApiScalar from "@effect/platform/HttpApiScalar"

/** Where people read the contract in a browser. */
export const docsPath = "/docs"

/** Everything off that would ask another host: fonts, the bar that shares, the offer of an app, usage counts. */
const offline = {
  hideClientButton: true,
  proxyUrl: "",
  showToolbar: "never",
  telemetry: false,
  withDefaultFonts: false
}

/** The contract as pages; script and style are part of the page, so it works offline. */
export const layer = HttpApiScalar.layer({ path: docsPath, scalar: offline })
