import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { connect } from "../../../src/foundation/browser/Cdp.ts"
import type { Excess } from "../../../src/foundation/browser/Memory.ts"

/** A page of one title. */
export const page = {
  body: new TextEncoder().encode("<title>Page</title>"),
  headers: [["content-type", "text/html"]] as const,
  status: 200,
  url: new URL("http://site.test/page"),
  userAgent: "Test/1.0"
}

interface Command {
  readonly id: number
  readonly method: string
  readonly params?: { readonly budget?: number; readonly policy?: string; readonly requestId?: string }
}

/** What a browser does at a command, beside answering it. */
export type Script = (command: Command, say: (method: string, params: object) => void) => void

const results = new Map<string, object>([
  ["Target.createBrowserContext", { browserContextId: "context" }],
  ["Target.createTarget", { targetId: "main" }],
  ["DOM.getDocument", { root: { nodeId: 1 } }],
  ["DOM.getOuterHTML", { outerHTML: "<html>rendered</html>" }]
])

/** A request for a document in the page's own place. */
export const document = (requestId: string, url: string) => ({
  frameId: "main",
  request: { headers: {}, method: "GET", url },
  requestId,
  resourceType: "Document"
})

/** Loads the page and lets its time pass at once. */
export const sound: Script = ({ method, params }, say) => {
  if (method === "Page.navigate") say("Fetch.requestPaused", document("r1", page.url.href))
  if (params?.requestId === "r1") say("Page.frameNavigated", { frame: { id: "main", url: page.url.href } })
  if (params?.budget !== undefined) say("Emulation.virtualTimeBudgetExpired", {})
}

/** A browser by a script, on a transport like that of the pipes; `said` has the names of its commands, and `end` ends it. */
export const scripted = (script: Script) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const over = yield* Deferred.make<void>()
    const excesses = yield* Ref.make<ReadonlyArray<Excess>>([])
    let tabs = 0
    const say = (message: object) => transport.onmessage(JSON.stringify(message))
    const transport = {
      close: () => undefined,
      onmessage: (_: string): void => undefined,
      send: (message: string) => {
        const command: Command & { readonly sessionId?: string } = JSON.parse(message)
        const { id, method, params, sessionId } = command
        said.push(params?.policy === undefined ? method : `${method} ${params.policy} ${params.budget ?? ""}`.trim())
        queueMicrotask(() => {
          const isOpening = method === "Target.attachToTarget"
          if (isOpening) tabs += 1
          const tab = sessionId ?? `tab ${tabs}`
          const opened = { sessionId: tab, targetInfo: { type: "page" } }
          if (isOpening) say({ method: "Target.attachedToTarget", params: opened })
          say({ id, result: isOpening ? { sessionId: tab } : (results.get(method) ?? {}), sessionId })
          script(command, (event, values) =>
            say({ method: event, params: values, ...(event.startsWith("Target.") ? {} : { sessionId: tab }) })
          )
        })
      }
    }
    const session = yield* connect(transport)
    const browser = {
      ended: Deferred.await(over),
      escapes: Effect.succeed([]),
      excesses: Ref.get(excesses),
      pid: 0,
      product: "Scripted/1",
      sandbox: "user" as const,
      session
    }
    return { browser, end: Deferred.succeed(over, undefined), excesses, said }
  })
