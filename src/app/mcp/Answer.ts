import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { evidenceText } from "../../features/audits/fixes/Prompt.ts"
import { digits, Entropy } from "../../foundation/secrets/Entropy.ts"

/** Tokens of an answer at most as they are estimated here, which is 8,000 of o200k where the estimate is lowest. */
export const tokensAtMost = 7400

/** Text that strangers wrote: of a page, a title, a query. In an answer it stands between the tags of evidence. */
export class Foreign extends Data.Class<{ readonly text: string }> {}

export const foreign = (text: string | null | undefined): Foreign | null =>
  text === null || text === undefined ? null : new Foreign({ text })

/** Instructions for an agent whose evidence stands between tags of its own, which get the name of the answer's. */
export class Instructions extends Data.Class<{ readonly text: string }> {}

/** Characters of one text of strangers at most. */
const longest = 300

/** Names the tags of one answer, so that no text which was written before it can close them. */
const tag = Effect.flatMap(Entropy, ({ bytes }) => Effect.map(bytes(8), (random) => `evidence-${digits(random)}`))

const shown = (name: string) => (_key: string, value: unknown) =>
  value instanceof Foreign
    ? `<${name}>${evidenceText(value.text, longest)}</${name}>`
    : value instanceof Instructions
      ? value.text.replace(/^<(\/?)evidence>$/gm, `<$1${name}>`)
      : value

/** Hundredths of a token that one unit of text has at most: of random letters and digits, and of writing that the vocabulary does not know. */
const weightOf = (code: number): number => {
  if (code >= 0x800) return (code >= 0x3000 && code < 0xa000) || (code >= 0xac00 && code < 0xd7b0) ? 220 : 300
  if (code >= 0x80) return 130
  if (code >= 97 && code <= 122) return 55
  return code >= 65 && code <= 90 ? 70 : 65
}

/** Tokens of a text at most. Words of English have less than half of that. */
export const tokensOf = (text: string): number => {
  let weight = 0
  for (let at = 0; at < text.length; at++) weight += weightOf(text.charCodeAt(at))
  return Math.ceil(weight / 100)
}

/** An answer as text: JSON in which foreign text is fenced. */
export const written = (body: object) => Effect.map(tag, (name) => JSON.stringify(body, shown(name)))

/**
 * An answer that fits: made with fewer rows until it does. `make` reads as many rows as it is asked for, so that its cursor continues behind them, and says
 * what is left.
 */
export const fitted = <E, R>(rows: number, make: (rows: number) => Effect.Effect<object, E, R>) => {
  const attempt = (count: number): Effect.Effect<string, E, R | Entropy> =>
    Effect.flatMap(Effect.flatMap(make(count), written), (text) => {
      const tokens = tokensOf(text)
      return tokens <= tokensAtMost || count === 0
        ? Effect.succeed(text)
        : attempt(Math.min(count - 1, Math.floor((count * tokensAtMost) / tokens)))
    })
  return attempt(rows)
}
