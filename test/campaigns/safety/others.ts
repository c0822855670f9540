import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as GitHub from "../../features/interventions/github.ts"
import * as Google from "../../features/rankings/searchConsole.ts"
import * as Engines from "../../features/visibility/engines.ts"

/** A gate to a foreign system: it counts requests, and holds them back while it is closed. */
const gates = () => {
  const counts = new Map<string, number>()
  const servers: Array<{ stop: (force: boolean) => unknown }> = []
  let waiting: PromiseWithResolvers<void> | undefined
  let held = 0

  /** A URL that leads to `target`; equivalent requests have the same name. */
  const before = (
    system: string,
    answer: (request: Request, url: URL) => Response | Promise<Response>,
    hostname = "127.0.0.1"
  ) => {
    const server = Bun.serve({
      fetch: async (request) => {
        const url = new URL(request.url)
        const text = await request.text()
        const name = `${system} ${request.method} ${url.pathname}${url.search} ${text}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
        held += 1
        await waiting?.promise
        held -= 1
        const { headers, method } = request
        return await answer(new Request(url.href, { headers, method, ...(text === "" ? {} : { body: text }) }), url)
      },
      hostname,
      idleTimeout: 0,
      port: 0
    })
    servers.push(server)
    return `http://127.0.0.1:${server.port}`
  }

  return {
    before,
    close: () => {
      waiting ??= Promise.withResolvers()
    },
    open: () => {
      waiting?.resolve()
      waiting = undefined
    },
    /** Requests that are held back now. */
    held: () => held,
    /** Requests whose name begins with a text, with the number of each. */
    seen: (start: string) => [...counts].filter(([name]) => name.startsWith(start)),
    stop: () => {
      for (const server of servers) server.stop(true)
    }
  }
}

/** Responds with another server's response. */
const through = (target: string) => (request: Request, url: URL) =>
  fetch(`${target.replace(/\/$/, "")}${url.pathname}${url.search}`, {
    ...(request.body === null ? {} : { body: request.body }),
    headers: request.headers,
    method: request.method,
    redirect: "manual"
  })

const html = (body: string) =>
  new Response(
    `<!doctype html><html lang="en"><head><title>A page of the site</title></head><body><h1>Page</h1>${body}</body></html>`,
    { headers: { "content-type": "text/html" } }
  )

const pages = 12

/** The foreign systems that locked work reaches, behind gates. */
export const others = async (onClose: (end: () => unknown) => void) => {
  const scope = Effect.runSync(Scope.make())
  onClose(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const within = <A>(serve: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.extend(serve, scope))
  const engines = await within(Engines.serve)
  const github = await within(GitHub.serve())
  const google = await within(Google.serve)
  const repository = github.repository()
  const gate = gates()
  onClose(gate.stop)

  const links = Array.from({ length: pages - 1 }, (_, n) => `<a href="/${n + 1}">${n + 1}</a>`).join(" ")
  // It listens on all addresses of the loopback interface, so that linking pages are on different hosts.
  const site: string = gate.before(
    "site",
    (_, { pathname }) => {
      if (/^\/(robots\.txt|sitemap\.xml)$/.test(pathname)) return new Response("", { status: 404 })
      return html(pathname.startsWith("/links/") ? `<a href="${site}/">here</a>` : links)
    },
    "0.0.0.0"
  )
  const hook = gate.before("hook", () => new Response(""))
  const psi = gate.before("psi", () =>
    Response.json(
      { error: { code: 500, message: "Lighthouse returned error: FAILED_DOCUMENT_REQUEST." } },
      { status: 500 }
    )
  )
  return {
    engines,
    gate,
    google,
    hook,
    repository,
    settings: {
      FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
      FINDABLE_BACKLINK_PAUSE: "200 millis",
      FINDABLE_CHILD_NICENESS: "0",
      FINDABLE_GEO_DAILY_USD: "100",
      FINDABLE_GEO_PRICES: JSON.stringify({ "gpt-5-mini": { call: 0.1, input: 1, output: 1, search: 0.01 } }),
      FINDABLE_GITHUB_POLL: "2 seconds",
      FINDABLE_GITHUB_URL: gate.before("github", through(github.url)),
      FINDABLE_GOOGLE_TOKEN_URL: `${google.url}token`,
      FINDABLE_OPENAI_KEY: Engines.keys.openai,
      FINDABLE_OPENAI_MODEL: "gpt-5-mini",
      FINDABLE_OPENAI_URL: gate.before("engine", through(engines.url)),
      FINDABLE_PSI_URL: `${psi}/psi`,
      FINDABLE_SEARCH_CONSOLE_URL: gate.before("google", through(google.url))
    },
    site
  }
}
export type Others = Awaited<ReturnType<typeof others>>

/** Scopes of a key for everything. */
export const everything = ["*", "site-health:write", "geo:write", "interventions:write", "keys:manage"]

/** Search Console credentials that the fake accepts. */
export const credentials = () => JSON.parse(Google.serviceAccount("https://oauth2.googleapis.com/token"))
