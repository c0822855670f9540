/** Words that texts for people do not use: the third column of the glossary. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"

const glossary = readFileSync(resolve(import.meta.dir, "../src/GLOSSARY.md"), "utf8")

const phrases = (cell = "") =>
  cell
    .split(",")
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

const rows = glossary
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, term = "", , not, right]) => ({ not: phrases(not), right: phrases(right), term }))

const articles =
  "an?|the|this|that|these|those|each|every|one|two|no|any|all|last|latest|newest|previous|earlier|later|same|new|first|second|other|another|its|your|of|per|finished|running|queued|whole"

/** A phrase with its plural, whole, with any white space between its words. */
const patternOf = (phrase: string) => {
  const [article, ...noun] = phrase.split(" ")
  const isNoun = (article === "a" || article === "an") && noun.length > 0
  const words = (isNoun ? noun : phrase.split(" ")).map((word) => RegExp.escape(word)).join("\\s+")
  return new RegExp(`(?<![\\w-])${isNoun ? `(?:${articles})\\s+` : ""}${words}(?:s|es)?(?![\\w])`, "gi")
}

const words = rows.flatMap(({ not, term }) =>
  not.map((phrase) => ({ instead: term, pattern: patternOf(phrase), phrase }))
)
const allowed = rows.flatMap(({ right }) => right.map(patternOf))

/** Code, URLs, paths, placeholders, options and identifiers: no prose. */
const noProse =
  /```[\s\S]*?```|`[^`]*`|https?:\S+|\{[^}]*\}|<[^>]*>|--[\w-]+|\$?\b\w+_\w+\b|\b\w+(?:\.\w+)+\b|[\w.-]*\/[\w./:-]+/g

/** The phrases of a text that the glossary has another term for, as `phrase → term`; texts of AI visibility speak of its runs. */
export const strayWords = (text: string, ofVisibility = false): ReadonlyArray<string> => {
  const prose = allowed.reduce((left, pattern) => left.replace(pattern, " "), text).replace(noProse, " ")
  return words.flatMap(({ instead, pattern, phrase }) =>
    (ofVisibility && phrase === "a run") || prose.search(pattern) === -1 ? [] : [`${phrase} → ${instead}`]
  )
}
