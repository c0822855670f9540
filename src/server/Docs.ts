import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiScalar from "@effect/platform/HttpApiScalar"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PublicUrl } from "../http/PublicUrl.ts"

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
  Effect.flatMap(PublicUrl, ({ path }) => router.get("/", HttpServerResponse.redirect(path(docsPath), { status: 302 })))
)

export const layer = Layer.merge(page, entrance)
