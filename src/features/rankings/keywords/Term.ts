import { fold } from "../../../foundation/text/Words.ts"

/** A text that is searched for in queries. */
interface Term {
  readonly folded: string
  /** Whether the trigram index can find the queries that may hold it: three letters or digits in a row, or anything beyond ASCII. */
  readonly isIndexed: boolean
}

/** Makes the term of a text. */
export const of = (text: string): Term => {
  const folded = fold(text)
  return { folded, isIndexed: /[a-z0-9]{3}|[^\0-\x7f]/.test(folded) }
}
