import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Page, Renderer, RenderFailed } from "../../../src/crawl/render/Rendering.ts"
import { markup } from "./Markup.ts"
import type { Site } from "./Site.ts"

/** A browser that does what the plans of a site's scripts say; a site without any is crawled without one. */
export const renderer = ({ scripted }: Site): Layer.Layer<never> =>
  scripted.size === 0
    ? Layer.empty
    : Layer.succeed(Renderer, {
        browser: Effect.succeed("Scripted/1"),
        render: (page: Page, fetch) =>
          Effect.gen(function* () {
            const plan = scripted.get(page.url.href)
            const sent = new TextDecoder().decode(page.body)
            const asked = plan?.fetched ?? []
            yield* Effect.forEach(asked, (url) =>
              Effect.ignore(fetch({ headers: {}, kind: "Fetch", method: "GET", url: new URL(url) }))
            )
            const seen = { errors: plan?.errors ?? [], refused: [], requests: asked.length }
            if (plan?.hangs === true) return yield* new RenderFailed({ ...seen, lack: null, reason: "time" })
            const html = plan === undefined ? sent : markup(plan.shown, plan.code)
            return { ...seen, html, redirect: plan?.redirect ?? null }
          }),
        store: () => Effect.succeed(Option.none()),
        width: 2
      })
