import type { Random } from "./Random.ts"

const onsets = ["b", "d", "f", "g", "k", "l", "m", "p", "r", "s", "t", "v", "z", "br", "kl", "st"] as const
const vowels = ["a", "e", "i", "o", "u"] as const

/** An invented word of two or three syllables, of no language, so in no phrase of an error page. */
export const word = (random: Random): string =>
  Array.from({ length: random.int(2, 3) }, () => random.pick(onsets) + random.pick(vowels)).join("")

/** A number of invented words. */
export const words = (random: Random, count: number): Array<string> =>
  Array.from({ length: Math.max(0, count) }, () => word(random))

/** Words in the form of a heading. */
export const heading = (random: Random, count: number): string =>
  words(random, count)
    .map((each) => each.charAt(0).toUpperCase() + each.slice(1))
    .join(" ")

/** Text of exactly a number of characters (Unicode code points), made of words. */
export const textOfLength = (random: Random, characters: number): string => {
  const text = `${heading(random, 1)} ${words(random, Math.ceil(characters / 4)).join(" ")}`.slice(0, characters)
  return text.endsWith(" ") ? `${text.slice(0, -1)}x` : text
}

/** Words as an HTML parser and a reader count them, in text from this file. */
export const countWords = (text: string): number => text.split(/[^\p{L}\p{N}'’]+/u).filter((each) => each !== "").length
