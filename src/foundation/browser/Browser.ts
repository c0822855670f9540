/** Platform adapter (`node:stream`): a browser for rendering, without a port, driven over two pipes, in a separate process group. */
import type { Readable } from "node:stream"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { PipeTransport } from "puppeteer-core/internal/node/PipeTransport.js"
import { connect, type Session } from "./Cdp.ts"
import { type BrowserMissing, findBrowser } from "./Find.ts"
import { renderFlags } from "./Flags.ts"
import { clearFolders, temporaryFolder } from "./Folders.ts"
import { type Bounds, type Excess, watch } from "./Memory.ts"
import { refusingPort } from "./Socks.ts"
import { type BrowserFailed, isRoot, notStarted, type Sandbox, start } from "./Start.ts"

/** A running browser without any network. */
export interface Browser {
  readonly session: Session
  /** Name and version, such as `HeadlessChrome/156.0.8078.108`. */
  readonly product: string
  readonly pid: number
  readonly sandbox: Sandbox
  /** `host:port` of each connection beside the pipes; the proxy refused all of them. */
  readonly escapes: Effect.Effect<ReadonlyArray<string>>
  /** The bounds for which processes were killed, in order. */
  readonly excesses: Effect.Effect<ReadonlyArray<Excess>>
  /** Waits for the end of the browser. */
  readonly ended: Effect.Effect<void>
}

/** Most memory of a browser for rendering, in bytes: of one process, and of all together. */
export const usualBounds: Bounds = { each: 512 * 1_048_576, all: 1_536 * 1_048_576 }

interface Options {
  readonly bounds: Bounds
  /** Whether the browser runs without a sandbox, as the user of this process. */
  readonly unsandboxed: boolean
}

const startUp = "30 seconds"

/** The folder of one browser: profile, home and temporary files. */
const folder = temporaryFolder("browser").pipe(
  Effect.mapError(() => notStarted("No temporary folder could be made for the browser."))
)

/** Most bytes of one message of the browser: pages decide its length, and it is whole in the memory of this process. */
const longestMessage = 16 * 1_048_576

/** Calls back once, when more bytes came since the last end of a message (a zero) than a message may have. */
const onLongMessage = (output: Readable, callBack: () => void): void => {
  let length = 0
  const count = (bytes: Uint8Array) => {
    const end = bytes.lastIndexOf(0)
    length = end === -1 ? length + bytes.length : bytes.length - end - 1
    if (length <= longestMessage) return
    output.off("data", count)
    callBack()
  }
  output.on("data", count)
}

/** Starts the browser for rendering, until the scope ends. */
export const startBrowser = Effect.fn("Browser.start")(function* ({
  bounds,
  unsandboxed
}: Options): Effect.fn.Return<
  Browser,
  BrowserFailed | BrowserMissing,
  FileSystem.FileSystem | Path.Path | Scope.Scope
> {
  const program = yield* findBrowser("rendering")
  const sandbox = unsandboxed ? "none" : isRoot() ? "dropped" : "user"
  const proxy = yield* refusingPort.pipe(
    Effect.mapError(() => notStarted("The loopback interface of this machine cannot be listened on."))
  )
  yield* clearFolders
  const profile = yield* folder
  const flags = renderFlags({ profile, proxy: proxy.port, sandbox: sandbox !== "none" })
  const running = yield* start({ flags, isLeader: true, profile, program, sandbox })
  const excesses = yield* Ref.make<ReadonlyArray<Excess>>([])
  const exceed = (excess: Excess) => Ref.update(excesses, (all) => [...all, excess])
  const fork = yield* FiberSet.makeRuntime<never>()
  onLongMessage(running.output, () => fork(Effect.zipRight(exceed("message"), running.kill)))
  const session = yield* connect(new PipeTransport(running.input, running.output, () => undefined))
  const fail = Effect.flatten(running.failure)
  const version = yield* session.send("Browser.getVersion").pipe(
    Effect.catchAll(() => fail),
    Effect.raceFirst(Effect.zipRight(running.ended, fail)),
    Effect.timeoutFail({
      duration: startUp,
      onTimeout: () => notStarted("The browser did not answer.")
    })
  )
  // Events about new windows let tabs close them.
  yield* session
    .send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] })
    .pipe(Effect.catchAll(() => fail))
  yield* watch(running.pid, bounds, exceed)
  return {
    ended: Effect.raceFirst(running.ended, session.ended),
    escapes: proxy.asked,
    excesses: Ref.get(excesses),
    pid: running.pid,
    product: version.product,
    sandbox,
    session
  }
})
