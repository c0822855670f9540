import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Worker from "../../../src/features/sitehealth/Worker.ts"
import { Outbound } from "../../../src/foundation/outbound/Outbound.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

/** The page of a small site. */
export const html = (title: string, body: string, head = "") =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}</head><body><h1>${title}</h1>${body}</body></html>`

/** A site on the loopback interface with changeable pages; other paths return 404. `asked` has the requested paths in order. */
export const site = (pages: Record<string, string>) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: (request) => {
            const { pathname } = new URL(request.url)
            asked.push(pathname)
            const page = pages[pathname]
            if (page === undefined) return new Response("Not found", { status: 404 })
            const type = page.startsWith("<!doctype") ? "text/html; charset=utf-8" : "text/plain"
            return new Response(page, {
              headers: { "content-type": pathname.endsWith(".xml") ? "application/xml" : type }
            })
          }
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    return { asked, pages, url: server.url.href }
  })

/** The worker with a given client: it crawls in this process. `Worker.test.ts` and `crawler` test crawls in a separate process. */
export const worker = Layer.provide(
  Layer.fresh(Worker.layer),
  Layer.effect(
    Outbound,
    Effect.map(Outbound, (outbound) => ({ ...outbound }))
  )
)

/** A customer with the site, and a worker that runs as long as the test. */
export const customerOf = (url: string, plan: Parameters<typeof Server.customer>[0] = "agency_team") =>
  Effect.gen(function* () {
    yield* Layer.build(worker)
    const { account, key } = yield* Server.customer(plan)
    const project = yield* Server.projectOf(account, url)
    const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      Server.send(method, `/api/v1${path}`, { body, headers, key })
    const ended = (id: string) =>
      Effect.map(
        until(send("GET", `/runs/${id}?include=result`), ({ body }) => body.data.finished_at !== null, "100 millis"),
        ({ body }) => body.data
      )
    /** A finished crawl with its result. */
    const run = (body: unknown = {}) =>
      Effect.flatMap(send("POST", `/projects/${project.id}/site-health/runs`, body), ({ body }) => ended(body.data.id))
    return { account, ended, key, project, run, send }
  })
