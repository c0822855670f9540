import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findChromium } from "../src/features/audits/run/Lighthouse.ts"

/** The path of Chromium on this machine, if it is installed. */
export const chromium = Option.getOrNull(
  await Effect.runPromise(findChromium().pipe(Effect.provide(BunContext.layer), Effect.option))
)

// The protocol has as many response shapes as methods; tests assert the values, without types.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any

/** A tab of a browser, driven over its DevTools protocol. */
export interface Tab {
  readonly send: (method: string, parameters?: object) => Promise<Answer>
  /** The value of an expression, or of its promise. */
  readonly evaluate: (expression: string) => Promise<Answer>
  /** Polls the page every few milliseconds until an expression is true. */
  readonly until: (expression: string) => Promise<void>
  readonly press: (key: string, code?: number) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** Answers requests whose URL contains a text with this response, or passes them to the server again for null; the last matching rule counts. */
  readonly answer: (part: string, answer: FalseAnswer | null) => Promise<void>
  /** URLs of all requests so far. */
  readonly requested: ReadonlyArray<string>
  /** Opens another tab of the same browser. */
  readonly another: () => Promise<Tab>
  /** Problems of the page: script errors, and requests blocked by its policy. */
  readonly complaints: ReadonlyArray<string>
}

/** A response that a server cannot produce on demand, such as a 500. */
export interface FalseAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The maximum duration of a crawl on a busy machine. */
const patience = 60_000

const start = async (program: string) => {
  const profile = mkdtempSync(join(tmpdir(), "findable-browser-"))
  const flags = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`]
  // The sandbox needs a user other than root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : []
  const child = Bun.spawn([program, ...flags, ...sandbox, "--disable-dev-shm-usage", "--no-first-run", "about:blank"], {
    stderr: "pipe",
    stdout: "ignore"
  })
  // Chromium ends its own processes when it is asked to end.
  const stop = () => child.kill("SIGTERM")
  process.on("exit", stop)
  const end = async () => {
    process.off("exit", stop)
    stop()
    await child.exited
    // No process may still write to the profile.
    rmSync(profile, { force: true, recursive: true })
  }
  let said = ""
  for await (const piece of child.stderr) {
    said += new TextDecoder().decode(piece)
    const [address] = /ws:\/\/\S+/.exec(said) ?? []
    if (address !== undefined) return { address, end }
  }
  throw new Error(`Chromium did not start: ${said}`)
}

const connect = async (address: string) => {
  const socket = new WebSocket(address)
  const waiting = new Map<number, (answer: Answer) => void>()
  const listeners: Array<(method: string, parameters: Answer, session: string) => void> = []
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result = {}, error, sessionId } = JSON.parse(String(data))
    if (id === undefined) for (const listener of listeners) listener(method, params, sessionId)
    else waiting.get(id)?.(error === undefined ? result : { error })
  })
  await new Promise((open) => socket.addEventListener("open", open))
  let last = 0
  const send = (method: string, params: object = {}, sessionId?: string) =>
    new Promise<Answer>((answered) => {
      last++
      waiting.set(last, answered)
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })
  return { listeners, send, socket }
}

/** Opens an empty tab in a new browser, which ends with the scope. */
export const tab = (program: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { address, end } = await start(program)
        return { connection: await connect(address), end }
      }),
      ({ end }) => Effect.promise(end)
    ),
    ({ connection }) => connection
  ).pipe(Effect.flatMap((connection) => Effect.promise(() => opened(connection))))

const opened = async (connection: Awaited<ReturnType<typeof connect>>): Promise<Tab> => {
  const { listeners, send: ask } = connection
  const { targetId } = await ask("Target.createTarget", { url: "about:blank" })
  const { sessionId } = await ask("Target.attachToTarget", { flatten: true, targetId })
  const send = (method: string, parameters: object = {}) => ask(method, parameters, sessionId)
  const requested: Array<string> = []
  const answers: Array<readonly [string, FalseAnswer | null]> = []
  const complaints: Array<string> = []
  const pass = ({ request, requestId }: Answer) => {
    const [, found] = answers.findLast(([part]) => request.url.includes(part)) ?? []
    if (found === undefined || found === null) return send("Fetch.continueRequest", { requestId })
    const { body, headers = {}, status } = found
    return send("Fetch.fulfillRequest", {
      body: Buffer.from(body).toString("base64"),
      requestId,
      responseCode: status,
      responseHeaders: Object.entries({ "content-type": "application/json", ...headers }).map(([name, value]) => ({
        name,
        value
      }))
    })
  }
  const answer = async (part: string, own: FalseAnswer | null) => {
    answers.push([part, own])
    await send("Fetch.enable", { patterns: [{ urlPattern: "*" }] })
  }
  listeners.push((method, parameters, session) => {
    if (session !== sessionId) return
    if (method === "Network.requestWillBeSent") requested.push(parameters.request.url)
    if (method === "Fetch.requestPaused") void pass(parameters)
    if (method === "Runtime.exceptionThrown") complaints.push(JSON.stringify(parameters.exceptionDetails))
    if (method === "Log.entryAdded" && parameters.entry.level === "error") complaints.push(parameters.entry.text)
  })
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`)
  const evaluate = async (expression: string) => {
    const { exceptionDetails, result } = await send("Runtime.evaluate", {
      awaitPromise: true,
      expression,
      returnByValue: true
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  const until = async (expression: string) => {
    for (const began = Date.now(); !(await evaluate(expression)); await Bun.sleep(20)) {
      if (Date.now() - began > patience) throw new Error(`It never held: ${expression}`)
    }
  }
  const press = async (key: string, code = 0) => {
    const text = key === "Enter" ? "\r" : key === " " ? " " : undefined
    const parameters = { key, windowsVirtualKeyCode: code, ...(text === undefined ? {} : { text }) }
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...parameters })
    await send("Input.dispatchKeyEvent", { key, type: "keyUp", windowsVirtualKeyCode: code })
  }
  const type = async (text: string) => void (await send("Input.insertText", { text }))
  const another = () => opened(connection)
  return { another, answer, complaints, evaluate, press, requested, send, type, until }
}
