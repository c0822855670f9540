import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import { limits, Refused } from "../../../src/crawl/render/Rendering.ts"
import { renderIn } from "../../../src/crawl/render/Tab.ts"
import { connect } from "../../../src/foundation/browser/Cdp.ts"
import type { Excess } from "../../../src/foundation/browser/Memory.ts"
import { it } from "../../harness.ts"

const page = {
  body: new TextEncoder().encode("<title>Page</title>"),
  headers: [["content-type", "text/html"]] as const,
  status: 200,
  url: new URL("http://site.test/page")
}

interface Command {
  readonly id: number
  readonly method: string
  readonly params?: { readonly budget?: number; readonly policy?: string; readonly requestId?: string }
}

/** What a browser does at a command, beside answering it. */
type Script = (command: Command, say: (method: string, params: object) => void) => void

const results = new Map<string, object>([
  ["Target.createBrowserContext", { browserContextId: "context" }],
  ["Target.createTarget", { targetId: "main" }],
  ["Target.attachToTarget", { sessionId: "tab" }],
  ["DOM.getDocument", { root: { nodeId: 1 } }],
  ["DOM.getOuterHTML", { outerHTML: "<html>rendered</html>" }]
])

const document = (requestId: string, url: string) => ({
  frameId: "main",
  request: { headers: {}, method: "GET", url },
  requestId,
  resourceType: "Document"
})

/** Loads the page and lets its time pass at once. */
const sound: Script = ({ method, params }, say) => {
  if (method === "Page.navigate") say("Fetch.requestPaused", document("r1", page.url.href))
  if (params?.requestId === "r1") say("Page.frameNavigated", { frame: { id: "main", url: page.url.href } })
  if (params?.budget !== undefined) say("Emulation.virtualTimeBudgetExpired", {})
}

/** A browser by a script, on a transport like that of the pipes; `said` has the names of its commands. */
const scripted = (script: Script) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const excesses = yield* Ref.make<ReadonlyArray<Excess>>([])
    const say = (message: object) => transport.onmessage(JSON.stringify(message))
    const transport = {
      close: () => undefined,
      onmessage: (_: string): void => undefined,
      send: (message: string) => {
        const command: Command & { readonly sessionId?: string } = JSON.parse(message)
        const { id, method, params, sessionId } = command
        said.push(params?.policy === undefined ? method : `${method} ${params.policy} ${params.budget ?? ""}`.trim())
        queueMicrotask(() => {
          if (method === "Target.attachToTarget")
            say({ method: "Target.attachedToTarget", params: { sessionId: "tab", targetInfo: { type: "page" } } })
          say({ id, result: results.get(method) ?? {}, sessionId })
          script(command, (event, values) =>
            say({ method: event, params: values, ...(event.startsWith("Target.") ? {} : { sessionId: "tab" }) })
          )
        })
      }
    }
    const session = yield* connect(transport)
    const browser = {
      ended: Effect.never,
      escapes: Effect.succeed([]),
      excesses: Ref.get(excesses),
      pid: 0,
      product: "Scripted/1",
      sandbox: "user" as const,
      session
    }
    return { browser, excesses, said }
  })

const refusing = () => new Refused({ why: "robots" })

const rendered = (script: Script, bounds: Partial<typeof limits> = {}) =>
  Effect.gen(function* () {
    const { browser, said } = yield* scripted(script)
    const result = yield* Effect.either(renderIn(browser, page, refusing, { ...limits, ...bounds }))
    return { result, said }
  })

const reasonOf = ({ result }: Effect.Effect.Success<ReturnType<typeof rendered>>) =>
  Either.match(result, { onLeft: ({ reason }) => reason, onRight: () => "rendered" })

it("grants the page its time after it was committed, and once more after a forced frame", function* () {
  const { result, said } = yield* rendered(sound)
  expect(Either.getOrThrow(result)).toEqual({
    errors: [],
    html: "<html>rendered</html>",
    redirect: null,
    refused: [],
    requests: 0
  })
  const timed = said.filter((name) => /VirtualTime|navigate|Screenshot|getOuterHTML|dispose|fulfill/.test(name))
  expect(timed).toEqual([
    "Emulation.setVirtualTimePolicy pause",
    "Page.navigate",
    "Fetch.fulfillRequest",
    "Emulation.setVirtualTimePolicy pauseIfNetworkFetchesPending 5000",
    "Page.captureScreenshot",
    "Emulation.setVirtualTimePolicy pauseIfNetworkFetchesPending 500",
    "DOM.getOuterHTML",
    "Target.disposeBrowserContext"
  ])
})

it("names the document that a script leads to, and what it refused and threw", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === 5_000) {
      say("Fetch.requestPaused", document("r2", "http://site.test/other"))
      say("Fetch.requestPaused", { ...document("r3", "http://site.test/a.js"), resourceType: "Script" })
      say("Runtime.exceptionThrown", { exceptionDetails: { exception: { description: "Error: no\n at x" }, text: "" } })
    }
    sound(command, say)
  }
  const { result } = yield* rendered(script)
  expect(Either.getOrThrow(result)).toMatchObject({
    errors: ["Error: no"],
    redirect: "http://site.test/other",
    refused: [{ url: "http://site.test/a.js", why: "robots" }],
    requests: 1
  })
})

it("ends scripts that do not end by the deadline, and closes the tab", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
  }
  const run = yield* rendered(script, { page: 200 })
  expect(reasonOf(run)).toBe("time")
  expect(run.said.slice(-3)).toEqual([
    "Runtime.terminateExecution",
    "Emulation.setScriptExecutionDisabled",
    "Target.disposeBrowserContext"
  ])
})

it("fails where the page asks for itself again, or has more HTML than is read", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === 5_000) say("Fetch.requestPaused", document("r2", page.url.href))
    else sound(command, say)
  }
  expect(reasonOf(yield* rendered(script))).toBe("reload")
  expect(reasonOf(yield* rendered(sound, { html: 10 }))).toBe("too_large")
})

it("tells a process that was ended for its memory from one that crashed", function* () {
  const crash: Script = (command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
    else say("Inspector.targetCrashed", {})
  }
  expect(reasonOf(yield* rendered(crash))).toBe("crashed")
  const { browser, excesses } = yield* scripted((command, say) => {
    if (command.params?.budget !== undefined) Effect.runSync(Ref.set(excesses, ["each"]))
    crash(command, say)
  })
  const error = yield* Effect.flip(renderIn(browser, page, refusing, limits))
  expect(error.reason).toBe("memory")
})

it("closes windows that a page opens, and answers its dialogs", function* () {
  const script: Script = (command, say) => {
    if (command.method === "Target.createTarget") say("Target.targetCreated", window("main"))
    if (command.params?.budget === 5_000) {
      say("Target.targetCreated", window("opened"))
      say("Page.javascriptDialogOpening", { type: "confirm" })
    }
    sound(command, say)
  }
  const { said } = yield* rendered(script)
  expect(said.filter((name) => name === "Target.closeTarget" || name === "Page.handleJavaScriptDialog")).toEqual([
    "Target.closeTarget",
    "Page.handleJavaScriptDialog"
  ])
})

const window = (targetId: string) => ({ targetInfo: { browserContextId: "context", targetId, type: "page" } })
