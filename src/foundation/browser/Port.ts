import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { auditFlags } from "./Flags.ts"
import { isRoot, notStarted, start } from "./Start.ts"

const startUp = "20 seconds"

interface Options {
  readonly program: string
  readonly profile: string
  /** Port of the SOCKS proxy on 127.0.0.1. */
  readonly proxy: number
}

/** Starts the browser of an audit, until the scope ends; returns the debugging port that it chose. The process group of this process contains it. */
export const startWithPort = Effect.fn("Browser.startWithPort")(function* ({ profile, program, proxy }: Options) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const sandbox = isRoot() ? "none" : "user"
  const flags = auditFlags({ profile, proxy, sandbox: sandbox !== "none" })
  yield* Effect.ignore(files.makeDirectory(profile, { recursive: true }))
  const running = yield* start({ flags, isLeader: false, profile, program, sandbox })
  return yield* files.readFileString(path.join(profile, "DevToolsActivePort")).pipe(
    Effect.map((text) => Number(/^\d+(?=\n)/.exec(text)?.[0])),
    Effect.filterOrFail(Number.isInteger),
    Effect.retry(Schedule.spaced("25 millis")),
    Effect.raceFirst(Effect.zipRight(running.ended, Effect.flatten(running.failure))),
    Effect.timeoutFail({ duration: startUp, onTimeout: () => notStarted("The browser did not answer.") })
  )
})
