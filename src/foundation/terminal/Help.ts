import * as CliConfig from "@effect/cli/CliConfig"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"
import * as Usage from "@effect/cli/Usage"
import { invocation } from "./Invocation.ts"

// Help is plain text that fits a terminal of 80 columns: it is read in pipes and logs too.

const columns = 80

/** The purpose of a command, and an example. */
export const described = (what: string, example: string): HelpDoc.HelpDoc =>
  HelpDoc.p(Span.spans([Span.text(what), Span.code(`${invocation} ${example}`)]))

/** The text of a span, and what stands in it as code. */
const read = (span: Span.Span): { readonly text: string; readonly code: ReadonlyArray<string> } => {
  if (span._tag === "Text" || span._tag === "URI") return { code: [], text: span.value }
  if (span._tag === "Highlight") return { code: [read(span.value).text], text: "" }
  if (span._tag !== "Sequence") return read(span.value)
  const [left, right] = [read(span.left), read(span.right)]
  return { code: [...left.code, ...right.code], text: left.text + right.text }
}

type Paragraph = ReturnType<typeof read>

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<Paragraph> => {
  if (HelpDoc.isParagraph(doc)) return [read(doc.value)]
  if (HelpDoc.isEnumeration(doc)) return doc.elements.flatMap(paragraphs)
  return HelpDoc.isSequence(doc) ? [...paragraphs(doc.left), ...paragraphs(doc.right)] : []
}

/** The parser's error message, without colours. */
export const plain = (doc: HelpDoc.HelpDoc): string =>
  paragraphs(doc)
    .map(({ code, text }) => text + code.join(""))
    .join("; ")
    .trim()

/** The parts of a page of help by their titles. */
const partsOf = (doc: HelpDoc.HelpDoc, parts = new Map<string, Array<HelpDoc.HelpDoc>>()) => {
  if (HelpDoc.isSequence(doc)) {
    partsOf(doc.left, parts)
    partsOf(doc.right, parts)
  } else if (HelpDoc.isHeader(doc)) parts.set(read(doc.value).text, [])
  else Array.from(parts.values()).at(-1)?.push(doc)
  return parts
}

/** The name of an option, without its choices, which stand beside it. */
const nameOf = (name: string) => (name.includes(" | ") ? `${name.split(" ", 1)[0]} choice` : name)

const definitions = (doc: HelpDoc.HelpDoc) =>
  HelpDoc.isDescriptionList(doc)
    ? doc.definitions.map(([name, about]) => [nameOf(plain(HelpDoc.p(name))), aboutValue(about)] as const)
    : []

const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line === "") lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Names and descriptions in two columns; a long name has its own line. */
const table = (rows: ReadonlyArray<readonly [string, string]>) => {
  const width = Math.min(24, Math.max(0, ...rows.map(([name]) => name.length)))
  return rows.flatMap(([name, about]) => {
    const [first = "", ...rest] = wrapped(about, columns - width - 4)
    const head =
      name.length > width ? [`  ${name}`, `${" ".repeat(width + 4)}${first}`] : [`  ${name.padEnd(width)}  ${first}`]
    return [...head, ...rest.map((line) => " ".repeat(width + 4) + line)]
  })
}

const section = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : ["", title, ...lines])

/** The parser's description of each kind of value, which adds nothing to its name. */
const idle =
  /^(?:A user-defined piece of text\.|A true or false value\.|This (?:setting|option) is optional\.|An? (?:integer|file|directory|path)\.)$/

const repeated = /^This (?:argument|option) (?:must|may) be repeated .* times\.$/

/** The purpose of a value, and its choices. */
const aboutValue = (doc: HelpDoc.HelpDoc): string =>
  paragraphs(doc)
    .map(({ text }) => text.replace("One of the following: ", "one of ").replace(repeated, "may be repeated"))
    .filter((text) => !idle.test(text))
    .toReversed()
    .join("; ")

/** What may be left out of a call stays on one line. */
const unbroken = (text: string) => text.replace(/\[[^\]]{1,40}\]/g, (part) => part.replaceAll(" ", "\u00a0"))

/** A call, wrapped to further lines. */
const call = (text: string) => {
  const [first = "", ...rest] = wrapped(unbroken(text), columns - 4).map((line) => line.replaceAll("\u00a0", " "))
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
}

/** A group's commands, as the parser lists them: usage, two spaces, purpose. */
const commandsOf = (docs: ReadonlyArray<HelpDoc.HelpDoc>) =>
  docs.flatMap(paragraphs).flatMap(({ text }) => {
    const [, usage = "", about = ""] = /^(.*?) {2,}(.*)$/.exec(text) ?? []
    const words = usage.split(" ")
    const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
    // A group inside a group is named twice there.
    const names = words.slice(0, end === -1 ? undefined : end).filter((word, at) => word !== words[at - 1])
    return [[names.join(" "), about] as const]
  })

/** The parser's help for a command. */
interface Known {
  readonly usage: Usage.Usage
  readonly helpDoc: HelpDoc.HelpDoc
}

/** Help lists our options only, not the parser's own. */
export const config = CliConfig.make({ showBuiltIns: false })

/** The names of all commands below one, words apart. */
const namesOf = ({ helpDoc }: Known): ReadonlyArray<string> =>
  commandsOf(partsOf(helpDoc).get("COMMANDS") ?? []).map(([name]) => name)

/** The words that name a command. */
export const pathOf = (root: Known, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = new Set(namesOf(root))
  const length = words.findLastIndex((_, at) => names.has(words.slice(0, at + 1).join(" "))) + 1
  return words.slice(0, length)
}

/** The names of a group's own commands; none where it is no group. */
export const childrenOf = (root: Known, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  namesOf(root).flatMap((name) => {
    const words = name.split(" ")
    const isOwn = words.length === path.length + 1 && path.every((word, at) => word === words[at])
    return isOwn ? words.slice(-1) : []
  })

/** The usage as it is to be read: the parser shows an option that may be repeated as one that has to be given. */
const shownUsage = (usage: Usage.Usage): Usage.Usage => {
  switch (usage._tag) {
    case "Concat":
      return { ...usage, left: shownUsage(usage.left), right: shownUsage(usage.right) }
    case "Repeated":
      return usage.usage._tag === "Named" && usage.usage.names.some((name) => name.startsWith("-"))
        ? { _tag: "Optional", usage }
        : usage
    default:
      return usage
  }
}

/** A page of help. */
export const page = (
  path: ReadonlyArray<string>,
  { helpDoc, usage }: Known,
  completions: ReadonlyArray<readonly [shell: string, command: string]> = []
): string => {
  const parts = partsOf(helpDoc)
  const about = (parts.get("DESCRIPTION") ?? []).flatMap(paragraphs)
  const name = ["findable", ...path].join(" ")
  const commands = commandsOf(parts.get("COMMANDS") ?? [])
  const calls = Usage.enumerate(shownUsage(usage), config).map((span) => {
    const [, ...rest] = plain(HelpDoc.p(span)).split(" ")
    return [name, ...rest].join(" ")
  })
  return [
    ...wrapped([name, ...about.map(({ text }) => text)].join(": "), columns),
    ...section("USAGE", commands.length > 0 ? call(`${name} <command>`) : calls.flatMap(call)),
    ...section("COMMANDS", table(commands)),
    ...section("ARGUMENTS", table((parts.get("ARGUMENTS") ?? []).flatMap(definitions))),
    ...section("OPTIONS", table((parts.get("OPTIONS") ?? []).flatMap(definitions))),
    ...section("COMPLETIONS", table(completions)),
    ...section("EXAMPLE", about.flatMap(({ code }) => code).flatMap(call))
  ].join("\n")
}
