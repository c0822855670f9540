import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const html = (title: string, body: string) =>
  new Response(`<!doctype html><html lang="en"><head>${title}</head><body><main>${body}</main></body></html>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

const links = (...paths: ReadonlyArray<string>) => paths.map((path) => `<a href="${path}">${path}</a>`).join(" ")

/** A response in OpenAI's format with two citations. */
const answer = (urls: ReadonlyArray<string>) => ({
  model: "gpt-5-mini-2025-08-07",
  output: [
    { action: { query: "running shoes", type: "search" }, status: "completed", type: "web_search_call" },
    {
      content: [
        {
          annotations: urls.map((url) => ({ title: "Running shoes", type: "url_citation", url })),
          text: "Shoes with a firm sole last longest, as two shops say.",
          type: "output_text"
        }
      ],
      role: "assistant",
      type: "message"
    }
  ],
  status: "completed",
  usage: { input_tokens: 9681, output_tokens: 373 }
})

/**
 * A small shop with a broken link on the loopback interface, an endpoint of webhooks, and an AI engine that cites the shop. The shop
 * can be given a page without a title, and can stop responding.
 */
export const site = Effect.acquireRelease(
  Effect.sync(() => {
    let gate = Promise.withResolvers<void>()
    gate.resolve()
    let hasSandals = false
    const page = (pathname: string): Response => {
      if (pathname === "/")
        return html(
          "<title>Example shop</title>",
          `<h1>Shoes</h1>${links("/shoes", "/boots", "/gone", ...(hasSandals ? ["/sandals"] : []))}`
        )
      if (pathname === "/shoes") return html("<title>Running shoes</title>", `<h1>Running shoes</h1>${links("/")}`)
      if (pathname === "/boots")
        return html("<title>Boots</title>", `<h1>Boots</h1><img src="/boots.jpg">${links("/")}`)
      if (pathname === "/sandals" && hasSandals) return html("", `<h1>Sandals</h1>${links("/")}`)
      return new Response("not here", { status: 404 })
    }
    const shop = Bun.serve({
      fetch: async ({ url }) => {
        await gate.promise
        return page(new URL(url).pathname)
      },
      hostname: "127.0.0.1",
      idleTimeout: 120,
      port: 0
    })
    const hooks = Bun.serve({ fetch: () => new Response(null, { status: 204 }), hostname: "127.0.0.1", port: 0 })
    const engine = Bun.serve({
      fetch: () => Response.json(answer([`${shop.url.origin}/shoes`, "https://magazine.example/shoes"])),
      hostname: "127.0.0.1",
      port: 0
    })
    return {
      close: () => {
        gate.resolve()
        return Promise.all([shop.stop(true), hooks.stop(true), engine.stop(true)])
      },
      engine: engine.url.origin,
      grow: Effect.sync(() => {
        hasSandals = true
      }),
      hooks: hooks.url.origin,
      hold: Effect.sync(() => {
        gate = Promise.withResolvers()
      }),
      release: Effect.sync(() => gate.resolve()),
      shop: shop.url.origin
    }
  }),
  ({ close }) => Effect.promise(close)
)
export type Site = Effect.Effect.Success<typeof site>

/** The example site of a suite. */
export class ExampleSite extends Context.Tag("test/ExampleSite")<ExampleSite, Site>() {}
