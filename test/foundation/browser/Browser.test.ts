import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { startBrowser } from "../../../src/foundation/browser/Browser.ts"
import type { Session } from "../../../src/foundation/browser/Cdp.ts"
import { findBrowser } from "../../../src/foundation/browser/Find.ts"
import { processes } from "../../../src/foundation/browser/Memory.ts"
import { it } from "../../harness.ts"

const browser = Option.getOrNull(
  await Effect.runPromise(findBrowser("rendering").pipe(Effect.provide(BunContext.layer), Effect.option))
)
if (browser === null) console.warn("Skipped: starting a browser, since this machine has none.")

const bounds = { all: 4e9, each: 2e9 }
const started = (options = { bounds, unsandboxed: false }) => Effect.provide(startBrowser(options), BunContext.layer)

/** A blank page of a browser. */
const blank = Effect.fnUntraced(function* (session: Session) {
  const { targetId } = yield* session.send("Target.createTarget", { url: "about:blank" })
  const { sessionId } = yield* session.send("Target.attachToTarget", { flatten: true, targetId })
  return yield* session.attached(sessionId)
})

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))

/** Waits until none of the processes is there. */
const gone = async (pids: ReadonlyArray<number>) => {
  while (pids.some(isRunning)) await Bun.sleep(50)
}

/** Where machines of one network ask each other for names (RFC 6762), as the kernel writes it. */
const multicast = "FB0000E0:14E9"

const readlink = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

const ifPossible = browser === null || process.platform !== "linux" ? describe.skip : describe

ifPossible("a browser", () => {
  it("starts with its sandbox, and without a port", function* () {
    const { pid, product, sandbox } = yield* started()
    expect(product).toMatch(/Chrome\/\d+/)
    expect(sandbox).toBe(process.getuid?.() === 0 ? "dropped" : "user")
    const all = [pid, ...processes().startedBy(pid)].map((each) => readFileSync(`/proc/${each}/cmdline`, "utf8"))
    expect(all.filter((line) => /--no-sandbox|remote-debugging-port/.test(line))).toEqual([])
  }, 120_000)

  test("ends with all its processes when its scope does", async () => {
    const pids = await Effect.runPromise(
      Effect.scoped(Effect.map(started(), ({ pid }) => [pid, ...processes().startedBy(pid)]))
    )
    expect(pids.length).toBeGreaterThan(2)
    await gone(pids)
  }, 120_000)

  test("ends with all its processes when its parent is killed, and the next one removes its folder", async () => {
    const parent = Bun.spawn([process.execPath, join(import.meta.dir, "parent.ts")], { stdout: "pipe" })
    const reader = parent.stdout.getReader()
    const pid = Number(new TextDecoder().decode((await reader.read()).value))
    const pids = [pid, ...processes().startedBy(pid)]
    expect(pids.length).toBeGreaterThan(2)
    parent.kill("SIGKILL")
    await gone(pids)
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`findable-browser-${parent.pid}-`))
    expect(left()).toHaveLength(1)
    await Effect.runPromise(Effect.scoped(started()))
    expect(left()).toEqual([])
  }, 120_000)

  it("asks for nothing by itself, and is refused what a page asks beside its pipes", function* () {
    const { escapes, session } = yield* started()
    const tab = yield* blank(session)
    expect(yield* escapes).toEqual([])
    const expression = "fetch('http://site.test/').catch((error) => error.message)"
    const { result } = yield* tab.send("Runtime.evaluate", { awaitPromise: true, expression })
    expect(result.value).toBe("Failed to fetch")
    expect(yield* escapes).toEqual(["site.test:80"])
  }, 120_000)

  it("tells no neighbour in the network of a page that wants to be called", function* () {
    const { pid, session } = yield* started()
    const tab = yield* blank(session)
    const expression = `new Promise((done) => {
      const peer = new RTCPeerConnection()
      peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === "complete") done("gathered") }
      peer.createDataChannel("x")
      peer.createOffer().then((offer) => peer.setLocalDescription(offer))
    })`
    const { result } = yield* tab.send("Runtime.evaluate", { awaitPromise: true, expression })
    expect(result.value).toBe("gathered")
    const bound = readFileSync("/proc/net/udp", "utf8")
      .split("\n")
      .flatMap((line) => (line.includes(multicast) ? (line.trim().split(/\s+/)[9] ?? "") : []))
    const held = [pid, ...processes().startedBy(pid)].flatMap((each) =>
      readdirSync(`/proc/${each}/fd`).map((fd) => readlink(`/proc/${each}/fd/${fd}`))
    )
    expect(held.filter((file) => bound.some((inode) => file === `socket:[${inode}]`))).toEqual([])
  }, 120_000)

  it("loses a process that has more memory than its bound, and stays", function* () {
    const { excesses, session } = yield* started({ bounds: { all: 4e9, each: 250e6 }, unsandboxed: false })
    const tab = yield* blank(session)
    const expression =
      "globalThis.kept = []; for (let n = 0; n < 40; n++) kept.push(new Uint8Array(1e7).fill(1)); new Promise(() => {})"
    yield* Effect.forkScoped(Effect.ignore(tab.send("Runtime.evaluate", { awaitPromise: true, expression })))
    while ((yield* excesses).length === 0) yield* Effect.sleep(50)
    expect(yield* excesses).toEqual(["each"])
    expect((yield* session.send("Browser.getVersion")).product).toMatch(/Chrome/)
  }, 120_000)

  it("ends when a page makes it send a message without end", function* () {
    const { ended, excesses, session } = yield* started()
    const tab = yield* blank(session)
    yield* Effect.forkScoped(Effect.ignore(tab.send("Runtime.evaluate", { expression: "'x'.repeat(2e7)" })))
    yield* ended
    expect(yield* excesses).toEqual(["message"])
  }, 120_000)
})
