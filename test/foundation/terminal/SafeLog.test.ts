import { describe, expect, test } from "bun:test"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import { escapedLine, visibleInput } from "../../../src/foundation/terminal/Terminal.ts"

/** What a logger makes of foreign text in the message, beside it, in a cause and in an annotation. */
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
  test("in logfmt is one line that no terminal obeys, whatever text it carries", () => {
    fc.assert(
      fc.property(texts, (text) => void expect(lineOf(escapedLine(Logger.logfmtLogger), text)).not.toMatch(obeyed))
    )
  })

  test("in JSON is one line that no terminal obeys, and reads as what was logged", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const line = lineOf(escapedLine(Logger.jsonLogger), text)
        expect(line).not.toMatch(obeyed)
        expect(JSON.parse(line)).toMatchObject({ annotations: { host: text }, message: [text, `said: ${text}`] })
      })
    )
  })

  test("for a terminal has foreign text in which everything is seen", () => {
    const logger = Logger.make<unknown, string>(({ annotations, cause, message }) =>
      [...(Array.isArray(message) ? message : []), ...HashMap.values(annotations), Cause.pretty(cause)].join(" ")
    )
    expect(lineOf(visibleInput(logger), hostile).replaceAll("\n  ", "")).not.toMatch(obeyed)
  })
})
