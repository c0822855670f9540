import { afterAll, describe, expect, test } from "bun:test"
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import { escapedLine, visibleInput } from "../../../src/foundation/terminal/Terminal.ts"
import { eventually } from "../../waiting.ts"

const place = mkdtempSync(join(tmpdir(), "findable-log-"))

afterAll(() => rmSync(place, { recursive: true }))

let made = 0

/** A pipe that the test reads on demand, and a server with it as stdout and stderr. */
const started = (early: number, late: number, environment: Record<string, string> = {}) => {
  const pipe = join(place, `pipe-${made++}`)
  const file = `${pipe}-logged`
  Bun.spawnSync(["mkfifo", pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, constants.O_WRONLY)
  const program = resolve(import.meta.dir, "logging.ts")
  const child = Bun.spawn([process.execPath, program, `${early}`, `${late}`, file], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stderr: writer,
    stdin: "ignore",
    stdout: writer
  })
  closeSync(writer)
  const bytes = Buffer.alloc(1 << 16)
  let text = ""
  const read = () => {
    try {
      for (let size = 1; size > 0; ) {
        size = readSync(reader, bytes)
        text += bytes.toString("latin1", 0, size)
      }
    } catch (error) {
      // Nothing to read for now.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
    }
    return text
  }
  return { child, close: () => closeSync(reader), logged: eventually(() => existsSync(file)), read }
}

const places = (name: string, text: string) =>
  Array.from(text.matchAll(new RegExp(`\\b${name} (\\d+) x`, "g")), ([, place]) => Number(place))

const rising = (numbers: ReadonlyArray<number>) =>
  numbers.every((each, at) => at === 0 || each > (numbers[at - 1] ?? 0))

const dropped = /(\d+) log lines were dropped here/

describe("the log of a server into a pipe that nobody reads", () => {
  for (const format of ["logfmt", "json"]) {
    test(`does not stop the server: as ${format}, lines are dropped at one place and counted there`, async () => {
      const { child, close, logged, read } = started(0, 20_000, { FINDABLE_LOG_FORMAT: format })
      await Effect.runPromise(logged)
      await Effect.runPromise(eventually(() => dropped.test(read())))
      child.kill("SIGTERM")
      expect(await child.exited).toBe(0)
      const text = read()
      close()
      const kept = places("late", text)
      expect(kept.length + Number(dropped.exec(text)?.[1])).toBe(20_000)
      expect(kept.length).toBeGreaterThan(1000)
      expect(rising(kept)).toBe(true)
      expect(text).toContain("the first key\n")
      const line = text.split("\n").find((each) => dropped.test(each)) ?? ""
      if (format === "json") expect(JSON.parse(line).logLevel).toBe("WARN")
      else expect(line).toContain("level=WARN")
    })
  }

  test("keeps every line of the start, and the first key, in any number", async () => {
    const { child, close, logged, read } = started(20_000, 20_000)
    await Effect.runPromise(logged)
    await Effect.runPromise(eventually(() => dropped.test(read())))
    child.kill("SIGTERM")
    await child.exited
    const text = read()
    close()
    expect(places("early", text)).toEqual(Array.from({ length: 20_000 }, (_, place) => place))
    expect(text).toContain("the first key\n")
  })

  test("is written completely when the server stops, without waiting for a reader that never comes", async () => {
    const { child, close, logged, read } = started(0, 2000)
    await Effect.runPromise(logged)
    child.kill("SIGTERM")
    const reading = setInterval(read, 1)
    expect(await child.exited).toBe(0)
    clearInterval(reading)
    expect(places("late", read())).toHaveLength(2000)
    close()

    const unread = started(0, 2000)
    await Effect.runPromise(unread.logged)
    unread.child.kill("SIGTERM")
    expect(await unread.child.exited).toBe(0)
    unread.close()
  })

  test("does not end the server when the pipe is closed", async () => {
    const { child, close, logged } = started(0, 2000)
    close()
    await Effect.runPromise(logged)
    expect(child.exitCode).toBeNull()
    child.kill("SIGTERM")
    expect(await child.exited).toBe(0)
  })
})

test("a log in a file gets every line", async () => {
  const file = join(place, "log")
  const logged = join(place, "logged")
  const child = Bun.spawn([process.execPath, resolve(import.meta.dir, "logging.ts"), "0", "20000", logged], {
    env: { PATH: process.env.PATH ?? "" },
    stderr: Bun.file(file),
    stdin: "ignore",
    stdout: "ignore"
  })
  await Effect.runPromise(eventually(() => existsSync(logged)))
  child.kill("SIGTERM")
  expect(await child.exited).toBe(0)
  expect(places("late", readFileSync(file, "utf8"))).toHaveLength(20_000)
})

/** The output of a logger with foreign text in the message, in another argument, in a cause and in an annotation. */
const lineOf = <A>(logger: Logger.Logger<unknown, A>, text: string) => {
  const lines: Array<A> = []
  const kept = Logger.map(logger, (line) => lines.push(line))
  Effect.runSync(
    Effect.logWarning(text, `said: ${text}`, Cause.die(new Error(text))).pipe(
      Effect.annotateLogs({ host: text }),
      Effect.provide(Logger.replace(Logger.defaultLogger, kept))
    )
  )
  const [line] = lines
  if (line === undefined) throw new Error("Nothing was logged")
  return line
}

/** Besides C0: DEL, C1 (one byte CSI), bidirectional marks, line separators, tags, a lone surrogate. */
const obeyed = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

const hostile =
  "\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\u202eevil\u2028level=ERROR\r\ntimestamp=now level=ERROR\ud800\u{e0041}"

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(hostile, "\u001b", "a\nb", 'quoted "x"\n', "\ud800", "level=ERROR\nmessage=forged")
)

describe("a log line", () => {
  test("in logfmt is one line without control characters, for any text in it", () => {
    fc.assert(
      fc.property(texts, (text) => void expect(lineOf(escapedLine(Logger.logfmtLogger), text)).not.toMatch(obeyed))
    )
  })

  test("in JSON is one line without control characters, and parses to the logged values", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const line = lineOf(escapedLine(Logger.jsonLogger), text)
        expect(line).not.toMatch(obeyed)
        expect(JSON.parse(line)).toMatchObject({ annotations: { host: text }, message: [text, `said: ${text}`] })
      })
    )
  })

  test("for a terminal shows every invisible character of foreign text", () => {
    const logger = Logger.make<unknown, string>(({ annotations, cause, message }) =>
      [...(Array.isArray(message) ? message : []), ...HashMap.values(annotations), Cause.pretty(cause)].join(" ")
    )
    expect(lineOf(visibleInput(logger), hostile).replaceAll("\n  ", "")).not.toMatch(obeyed)
  })
})
