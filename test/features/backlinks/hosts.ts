import * as Effect from "effect/Effect"

/** The response of a host to a path; `robots.txt` is missing by default. */
export type Answer = (path: string, request: Request) => Response

export const html = (body: string, init: ResponseInit = {}) =>
  new Response(`<!doctype html><html><head><title>Page</title></head><body>${body}</body></html>`, {
    ...init,
    headers: { "content-type": "text/html; charset=utf-8", ...Object(init.headers) }
  })

const words = "The quick brown fox jumps over the lazy dog, and so do all other animals of this fine forest. "

/** An ordinary page around some markup. */
export const page = (markup: string) => html(`<main><p>${words.repeat(3)}</p>${markup}</main>`)

/** The site whose links are searched; it need not exist. */
export const site = "http://shop.example"

export const link = (rel = "", path = "/x") => `<a href="${site}${path}"${rel === "" ? "" : ` rel="${rel}"`}>Shop</a>`

/** Hosts on loopback addresses, with one server for all of them. While the network is down no connection is accepted. */
export const hosts = Effect.acquireRelease(
  Effect.sync(() => {
    const answers = new Map<string, Answer>()
    const asked: Array<{ readonly host: string; readonly path: string }> = []
    const listen = (port: number) =>
      Bun.serve({
        fetch: (request) => {
          const { hostname, pathname } = new URL(request.url)
          asked.push({ host: hostname, path: pathname })
          const answer = answers.get(hostname)?.(pathname, request) ?? new Response("", { status: 500 })
          const isRobots = answer.headers.get("content-type")?.startsWith("text/plain") === true
          return pathname === "/robots.txt" && !isRobots ? new Response("", { status: 404 }) : answer
        },
        hostname: "0.0.0.0",
        port
      })
    let server = listen(0)
    const port = server.port ?? 0
    return {
      answer: (number: number, answer: Answer) => void answers.set(`127.0.0.${number}`, answer),
      asked,
      down: Effect.promise(() => server.stop(true)),
      up: Effect.sync(() => {
        server = listen(port)
      }),
      url: (number: number, path = "/") => `http://127.0.0.${number}:${port}${path}`
    }
  }),
  ({ down }) => down
)
