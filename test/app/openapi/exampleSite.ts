import * as Effect from "effect/Effect"

const html = (title: string, body: string) =>
  new Response(`<!doctype html><html lang="en"><head>${title}</head><body><main>${body}</main></body></html>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

const links = (...paths: ReadonlyArray<string>) => paths.map((path) => `<a href="${path}">${path}</a>`).join(" ")

/** A small shop with a dead link on the loopback, and the receiver of a webhook. The shop gets a page without a title, and can be kept from answering. */
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
    return {
      close: () => {
        gate.resolve()
        return Promise.all([shop.stop(true), hooks.stop(true)])
      },
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
