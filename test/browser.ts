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
  /** Polls the page every few milliseconds until an expression is true; `act` runs before each look. */
  readonly until: (expression: string, act?: () => Promise<unknown>) => Promise<void>
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

/** Milliseconds that a page has for what a test waits for: less than a test has, so its error says what was missing. */
const patience = 40_000

/** Milliseconds that a browser has to start. */
const startPatience = 20_000

/** The value of a promise, or an error with these words after some milliseconds. */
const within = async <A>(milliseconds: number, promise: Promise<A>, words: () => string): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(words())), milliseconds)
  })
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const launch = async (program: string) => {
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
    // A browser that does not hear is killed.
    const timer = setTimeout(() => child.kill("SIGKILL"), startPatience)
    await child.exited
    clearTimeout(timer)
    // No process may still write to the profile.
    rmSync(profile, { force: true, recursive: true })
  }
  let said = ""
  const started = Promise.withResolvers<string>()
  // The pipe is read to its end: Chromium would stop beside a full or closed one.
  const read = async () => {
    for await (const piece of child.stderr) {
      said = (said + new TextDecoder().decode(piece)).slice(-10_000)
      const [address] = /ws:\/\/\S+/.exec(said) ?? []
      if (address !== undefined) started.resolve(address)
    }
    started.reject(new Error(`Chromium ended before it listened: ${said}`))
  }
  void read()
  const address = within(startPatience, started.promise, () => `Chromium did not start: ${said}`)
  return { address, end, last: () => said.slice(-1000) }
}

/** Starts a browser; one that does not listen in time is ended, and another one is started. */
const start = async (program: string) => {
  for (let attempt = 1; ; attempt++) {
    const { address, end, last } = await launch(program)
    try {
      return { address: await address, end, last }
    } catch (error) {
      await end()
      if (attempt === 2) throw error
    }
  }
}

const connect = async (address: string, last: () => string) => {
  const socket = new WebSocket(address)
  const waiting = new Map<number, { readonly answer: (answer: Answer) => void; readonly fail: (why: Error) => void }>()
  const listeners: Array<(method: string, parameters: Answer, session: string) => void> = []
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result = {}, error, sessionId } = JSON.parse(String(data))
    if (id === undefined) for (const listener of listeners) listener(method, params, sessionId)
    else waiting.get(id)?.answer(error === undefined ? result : { error })
    waiting.delete(id)
  })
  socket.addEventListener("close", () => {
    for (const { fail } of waiting.values()) fail(new Error(`Chromium ended: ${last()}`))
  })
  await within(
    startPatience,
    new Promise((open) => socket.addEventListener("open", open)),
    () => `Chromium does not open its connection: ${last()}`
  )
  let count = 0
  const send = (method: string, params: object = {}, sessionId?: string) => {
    count++
    const { promise, reject: fail, resolve: answer } = Promise.withResolvers<Answer>()
    waiting.set(count, { answer, fail })
    socket.send(JSON.stringify({ id: count, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    return within(patience, promise, () => `Chromium does not answer ${method} ${JSON.stringify(params)}: ${last()}`)
  }
  return { listeners, send, socket }
}

/** Opens an empty tab in a new browser, which ends with the scope. */
export const tab = (program: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { address, end, last } = await start(program)
        return { connection: await connect(address, last), end }
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
  const pending = new Map<string, string>()
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
    if (method === "Network.requestWillBeSent") {
      requested.push(parameters.request.url)
      pending.set(parameters.requestId, parameters.request.url)
    }
    if (["Network.loadingFinished", "Network.loadingFailed"].includes(method)) pending.delete(parameters.requestId)
    if (method === "Inspector.targetCrashed") complaints.push("The page crashed")
    if (method === "Fetch.requestPaused") void pass(parameters)
    if (method === "Runtime.exceptionThrown") complaints.push(JSON.stringify(parameters.exceptionDetails))
    if (method === "Log.entryAdded" && parameters.entry.level === "error") complaints.push(parameters.entry.text)
  })
  for (const domain of ["Page", "Network", "Runtime", "Log", "Inspector"]) await send(`${domain}.enable`)
  // Keys reach the pages of a browser with several tabs too, and their timers keep time.
  await send("Emulation.setFocusEmulationEnabled", { enabled: true })
  const evaluate = async (expression: string) => {
    const { exceptionDetails, result } = await send("Runtime.evaluate", {
      awaitPromise: true,
      expression,
      returnByValue: true
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  /** The address and the text of the page, its open requests and its complaints. */
  const described = async () => {
    const page = await evaluate(
      `location.href + "\\n" + (document.querySelector("main") ?? document.body)?.innerText.slice(0, 400)`
    ).catch(String)
    const [open, complained] = [[...pending.values()], complaints.slice(-5)].map((all) => all.join(", ") || "none")
    return `${page}\nOpen requests: ${open}\nComplaints: ${complained}`
  }
  const until = async (expression: string, act?: () => Promise<unknown>) => {
    for (const began = Date.now(); ; await Bun.sleep(20)) {
      await act?.()
      if (await evaluate(expression)) return
      if (Date.now() - began > patience) throw new Error(`It never held: ${expression}\nat ${await described()}`)
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
