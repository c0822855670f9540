/**
 * Platform adapter: a console that never blocks the process, even when the reader of stderr is slow. Bun's console blocks the whole process until a pipe has
 * room; `process.stderr.write` gives the line to the event loop, which keeps the order.
 */
import { Console as LineConsole } from "node:console"
import { fstatSync } from "node:fs"
import { Writable } from "node:stream"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The most bytes that wait for the reader of stderr, about five thousand lines. */
const waitingAtMost = 1 << 20

/** How long the end of the process waits for a reader. */
const patience = "1 second"

/** Whether a descriptor is a pipe or a socket. Files and terminals keep Bun's console. */
const isPipe = (descriptor: number) => {
  const stat = fstatSync(descriptor)
  return stat.isFIFO() || stat.isSocket()
}

/** A queue of lines to a stream. When more than `atMost` bytes wait, lines are dropped until half of the bytes are written. */
const queue = (stream: NodeJS.WritableStream, atMost: () => number) => {
  let dropped = 0
  let waiting = 0
  let isFull = false
  let watchers: ReadonlyArray<() => void> = []

  // A closed pipe does not end the process; later lines are discarded, as on a console.
  stream.on("error", () => {})

  const wake = () => {
    const woken = watchers
    watchers = []
    for (const resume of woken) resume()
  }

  const write = (text: string) => {
    const bytes = Buffer.byteLength(text)
    isFull ||= waiting + bytes > atMost()
    if (isFull) {
      dropped++
      return
    }
    waiting += bytes
    stream.write(text, () => {
      waiting -= bytes
      isFull &&= waiting > atMost() / 2
      wake()
    })
  }

  const until = (holds: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (holds()) return Effect.void
      const woken = Effect.async<void>((resume) => {
        watchers = [...watchers, () => resume(Effect.void)]
      })
      return Effect.zipRight(woken, until(holds))
    })

  /** Returns the number of lines that were dropped since the last count. */
  const count = Effect.sync(() => {
    const counted = dropped
    dropped = 0
    return counted
  })

  return { count, room: until(() => dropped > 0 && !isFull), write, written: until(() => waiting === 0) }
}

const sink = (write: (text: string) => void) =>
  new Writable({
    decodeStrings: false,
    write: (text, _, done) => {
      write(String(text))
      done()
    }
  })

const report = (count: number) =>
  count === 0
    ? Effect.void
    : Effect.logWarning(`${count} log lines were dropped here, because the program that reads stderr is too slow`)

type Around = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How a program writes its lines. */
export interface LogPipe {
  /** Logs the number of dropped lines, with the current loggers, as soon as there is room. */
  readonly reporting: Around
  /** Runs the program with the console, and waits up to a second for its last lines to be written. */
  readonly through: Around
}

const piped = (): LogPipe => {
  let isStarting = true
  // The first line on stdout ends the start. Until then no line of stderr is dropped; lines of stdout, such as the first key, are never dropped.
  const output = queue(process.stdout, () => Number.POSITIVE_INFINITY)
  const log = queue(process.stderr, () => (isStarting ? Number.POSITIVE_INFINITY : waitingAtMost))
  const begin = (text: string) => {
    isStarting = false
    output.write(text)
  }
  const lines = new LineConsole({ stderr: sink(log.write), stdout: sink(begin) })
  const flushed = Effect.interruptible(Effect.zipRight(log.written, output.written)).pipe(
    Effect.timeoutOption(patience)
  )
  const counting = Effect.flatMap(log.count, report)
  const console = (own: Console.Console): Console.Console => ({
    ...own,
    error: (...words) => Effect.sync(() => lines.error(...words)),
    log: (...words) => Effect.sync(() => lines.log(...words)),
    unsafe: lines
  })
  return {
    reporting: (effect) =>
      Effect.acquireUseRelease(
        Effect.fork(Effect.interruptible(Effect.forever(Effect.zipRight(log.room, counting)))),
        () => effect,
        (fiber) => Effect.zipRight(Fiber.interrupt(fiber), Effect.zipRight(flushed, counting))
      ),
    through: (effect) =>
      Console.consoleWith((own) => Effect.withConsole(Effect.ensuring(effect, flushed), console(own)))
  }
}

/** The usual console: each line is written before the program continues. */
export const direct: LogPipe = { reporting: (effect) => effect, through: (effect) => effect }

/** The console that fits the stderr of this process. */
export const make = (): LogPipe => (isPipe(2) ? piped() : direct)
