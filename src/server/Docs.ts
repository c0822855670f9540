import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiScalar from "@effect/platform/HttpApiScalar"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Layer from "effect/Layer"

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
const page = HttpApiScalar.layer({ path: docsPath, scalar: offline })

/** Who opens the server in a browser is led there. */
const entrance = HttpApiBuilder.Router.use((router) =>
  router.get("/", HttpServerResponse.redirect(docsPath, { status: 302 }))
)

export const layer = Layer.merge(page, entrance)
