import type * as Usage from "@effect/cli/Usage"
import * as Option from "effect/Option"

/** Options of every command, and whether a value follows: those of the parser itself. */
const everywhere: ReadonlyArray<readonly [name: string, hasValue: boolean]> = [
  ["--completions", true],
  ["--help", false],
  ["-h", false],
  ["--log-level", true],
  ["--version", false],
  ["--wizard", false]
]

/** The options that a call may have, and whether a value follows each. */
const optionsOf = (usage: Usage.Usage): ReadonlyArray<readonly [name: string, hasValue: boolean]> => {
  switch (usage._tag) {
    case "Named":
      return usage.names
        .filter((name) => name.startsWith("-"))
        .map((name) => [name, Option.isSome(usage.acceptedValues)])
    case "Optional":
    case "Repeated":
      return optionsOf(usage.usage)
    case "Alternation":
    case "Concat":
      return [...optionsOf(usage.left), ...optionsOf(usage.right)]
    default:
      return []
  }
}

/** The names of a command's own options. */
export const namesOf = (usage: Usage.Usage): ReadonlyArray<string> => optionsOf(usage).map(([name]) => name)

/** Whether a word is written as an option. */
export const isFlag = (word: string): boolean => /^--?[a-z]/i.test(word)

/** What is wrong with an option of a line; without its value, which may be a secret. */
type Fault = { readonly name: string; readonly is: "unknown" | "without value" }

/** The first option among the words that is none of the command's, or that ends them without its value, which the parser ignores where it may be repeated. */
export const faultOf = (usage: Usage.Usage, words: ReadonlyArray<string>): Fault | undefined => {
  const known = new Map([...everywhere, ...optionsOf(usage)])
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--") return undefined
    if (!isFlag(word)) continue
    const [name = ""] = word.split("=", 1)
    const hasValue = known.get(name)
    if (hasValue === undefined) return { is: "unknown", name }
    if (!hasValue || name !== word) continue
    if (at + 1 === words.length) return { is: "without value", name }
    at += 1
  }
  return undefined
}
