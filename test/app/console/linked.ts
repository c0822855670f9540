import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium, type Tab, tab } from "../../browser.ts"
import { type FakeGitHub, serve as serveGitHub } from "../../features/interventions/github.ts"
import { settingsOf } from "../../features/visibility/asking.ts"
import { type FakeEngines, serve as serveEngines } from "../../features/visibility/engines.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { enterAnew, look } from "./shown.ts"

/** The one browser of a file. */
export class Browser extends Context.Tag("test/Browser")<Browser, Tab>() {}

/** The AI engines and the GitHub that the server talks to. */
export class Others extends Context.Tag("test/Others")<
  Others,
  { readonly engines: FakeEngines; readonly github: FakeGitHub }
>() {}

/** A server with all workers, engines, a GitHub and a browser. Google refuses every key. */
export const layer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const [engines, github] = [yield* serveEngines, yield* serveGitHub()]
    const google = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          fetch: () => Response.json({ error: "invalid_grant" }, { status: 400 }),
          hostname: "127.0.0.1",
          port: 0
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    const settings = {
      ...settingsOf(engines.url),
      FINDABLE_BACKLINK_PAUSE: "10 millis",
      FINDABLE_GITHUB_URL: github.url,
      FINDABLE_GOOGLE_TOKEN_URL: google.url.href,
      FINDABLE_SEARCH_CONSOLE_URL: google.url.origin
    }
    return Layer.mergeAll(
      Server.workersWith(settings),
      Layer.succeed(Others, { engines, github }),
      Layer.scoped(Browser, tab(chromium ?? ""))
    )
  })
).pipe(promptly)

/** Signs in with a key. */
export const entered = (key: string) =>
  Effect.gen(function* () {
    const { base } = yield* Server.TestServer
    const browser = yield* Browser
    yield* Effect.promise(async () => {
      await look(browser, { scheme: "light", width: 1280 })
      await enterAnew(browser, base, key)
    })
    return browser
  })

/** A page on the loopback interface that links to a site, and one that does not any more. */
export const linking = (site: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        fetch: ({ url }) => {
          const { pathname } = new URL(url)
          const link = pathname === "/links" ? `<a href="${site}/shoes">Good shoes</a>` : "No link."
          return pathname === "/gone"
            ? new Response("", { status: 404 })
            : new Response(`<!doctype html><html lang="en"><title>Page</title><main><p>${link}</p></main></html>`, {
                headers: { "content-type": "text/html; charset=utf-8" }
              })
        },
        hostname: "127.0.0.1",
        port: 0
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
