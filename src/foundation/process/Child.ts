/**
 * Platform adapter: starts our programs with this program's runtime (`process.execPath`), lowers their priority (`node:os`) and reads their memory (`node:fs`).
 */
import { readFileSync, writeFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"
import * as Command from "@effect/platform/Command"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { between } from "../schema/Setting.ts"

/**
 * The nice value of children. At 15, a busy child makes a server's responses at most 1.4 times as slow, and beside programs that take all processors it still
 * gets a thirtieth of one.
 */
export const Niceness = Config.integer("FINDABLE_CHILD_NICENESS").pipe(
  between(0, 19),
  Config.withDefault(15),
  Config.withDescription(
    "How far crawls, imports and audits yield to other programs (nice value), 0 to 19. Use 0 on machines that are always busy"
  )
)

/** Variables that every program needs: the system's paths of programs and libraries. */
const system = ["PATH", "LD_LIBRARY_PATH", "SystemRoot"]

/** The environment of a child: the paths of programs and libraries, and the named settings. Other variables hold keys and passwords. */
export const inherited = (names: ReadonlyArray<string>): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(
    Effect.forEach([...system, ...names], (name) =>
      Effect.map(
        Effect.option(Config.string(name)),
        Option.match({ onNone: () => [], onSome: (text) => [[name, text] as const] })
      )
    ),
    (pairs) => Object.fromEntries(pairs.flat())
  )

/** A program of ours that reads untrusted input. */
interface Program {
  /** The main file. The process starts in its folder, which has no user's configuration. */
  readonly script: URL
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Standard input. It stays open while the program works: its end tells the child that the parent is gone. */
  readonly input: Stream.Stream<Uint8Array>
  /** Limit of resident memory in bytes; a larger process is killed. Enforced only with `/proc` (Linux). */
  readonly memory?: number
}

const watchEvery = "50 millis"

/**
 * Bytes as one chunk for the platform's pipe. The pipe waits for room before every write of a chunk except the first, so the empty second write makes it wait.
 * Otherwise all unread input of a child would be in memory.
 */
const held = (bytes: Uint8Array) => Chunk.make(bytes, new Uint8Array(0))

/** Resident memory of a process in bytes; 0 if unknown. */
const memoryOf = (pid: number) =>
  Either.try(() => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024).pipe(
    Either.getOrElse(() => 0)
  )

/**
 * Lowers the priority of a process below the servers' on this machine, if the system allows it. Threads inherit the priority, so it is set before they begin. A
 * child leads a separate session, and Linux may first divide processors between sessions by the sessions' priorities (`sched(7)`, autogroups).
 */
const yieldToServers = (pid: number, niceness: number): void => {
  if (niceness === 0) return
  Either.try(() => setPriority(pid, niceness))
  Either.try(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)))
}

/** Gives a process that leads a session of its own the priority that this one has: it inherits ours, but the priority of ours between sessions not. */
export const yieldAsWeDo = (pid: number): void => yieldToServers(pid, Math.max(0, getPriority()))

/**
 * Starts a child with the configured priority; the end of the scope kills the child. A slow reader of standard output holds the child back; standard error is
 * ours. `isTooLarge` becomes true when the child was killed for its memory.
 */
export const start = Effect.fnUntraced(function* ({ environment, input, memory, script }: Program) {
  // The pipe outlives the scope until a write fails, so the queue that feeds it must end with the scope.
  const queue = yield* Effect.acquireRelease(Queue.bounded<Chunk.Chunk<Uint8Array>>(2), Queue.shutdown)
  const niceness = yield* Niceness
  const child = yield* Command.make(process.execPath, Bun.fileURLToPath(script)).pipe(
    Command.workingDirectory(Bun.fileURLToPath(new URL(".", script))),
    Command.env(environment, { extendEnv: false }),
    Command.stdin(Stream.fromChunkQueue(queue)),
    Command.stderr("inherit"),
    Command.start
  )
  yieldToServers(child.pid, niceness)
  const tooLarge = yield* Deferred.make<void>()
  const kill = Effect.ignore(child.kill("SIGKILL"))
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.forkScoped(Stream.runForEach(input, (bytes) => Queue.offer(queue, held(bytes))))
  if (memory !== undefined) {
    yield* Effect.sync(() => memoryOf(child.pid) > memory).pipe(
      Effect.repeat({ schedule: Schedule.spaced(watchEvery), until: (isMore) => isMore }),
      Effect.zipRight(Deferred.succeed(tooLarge, undefined)),
      Effect.zipRight(kill),
      Effect.forkScoped
    )
  }
  return { isTooLarge: Deferred.isDone(tooLarge), stdout: child.stdout }
})
