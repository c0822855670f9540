import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"
import * as Usage from "@effect/cli/Usage"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { version } from "../schema/Scalars.ts"
import { nearest } from "../text/Words.ts"
import { invocation } from "./Terminal.ts"

/** The parser's options, which every command has, and whether a value follows. */
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
const namesOf = (usage: Usage.Usage): ReadonlyArray<string> => optionsOf(usage).map(([name]) => name)

/** Whether a word is written as an option. */
const isFlag = (word: string): boolean => /^--?[a-z]/i.test(word)

/** The problem with an option of a line, without the option's value, which may be a secret. */
type Fault = { readonly name: string; readonly is: "unknown" | "without value" }

/** The first option that the command lacks, or a last word that is an option without its value, which the parser ignores if the option is repeatable. */
const faultOf = (usage: Usage.Usage, words: ReadonlyArray<string>): Fault | undefined => {
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

// Help is plain text of 80 columns, because people read it in pipes and logs too.

const columns = 80

/** The meaning of each exit code of most commands. */
const usualExits = { 0: "Success", 1: "Error, with the reason on stderr" } as const

/** The purpose of a command, an example, and the meanings of exit codes that differ from those of most commands. */
export const described = (
  what: string,
  example: string,
  exits: Readonly<Record<number, string>> = {}
): HelpDoc.HelpDoc =>
  HelpDoc.p(
    Span.spans([
      Span.text(what),
      Span.code(`${invocation} ${example}`),
      ...Object.entries({ ...usualExits, ...exits }).map(([code, meaning]) => Span.code(`${code} ${meaning}`))
    ])
  )

/** The text of a span, and its parts in code style. */
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
export const plainMessage = (doc: HelpDoc.HelpDoc): string =>
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

/** The name of an option without its choices, which the next column has. */
const nameOf = (name: string) => (name.includes(" | ") ? `${name.split(" ", 1)[0]} choice` : name)

const definitions = (doc: HelpDoc.HelpDoc) =>
  HelpDoc.isDescriptionList(doc)
    ? doc.definitions.map(([name, about]) => [nameOf(plainMessage(HelpDoc.p(name))), aboutValue(about)] as const)
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
  /^(?:A user-defined piece of text(?: that is confidential)?\.|A true or false value\.|This (?:setting|option) is optional\.|An? (?:existing )?(?:integer|file|directory|path)\.)$/

const repeated = /^This (?:argument|option) (?:must|may) be repeated .* times\.$/

/** The purpose of a value, its choices, and whether it may be repeated. */
const aboutValue = (doc: HelpDoc.HelpDoc): string => {
  const texts = paragraphs(doc).flatMap(({ text }) => (idle.test(text) ? [] : [text.replace(/\.$/, "")]))
  const isOurs = (text: string) => !text.startsWith("One of the following: ") && !repeated.test(`${text}.`)
  return [...texts.filter(isOurs), ...texts.filter((text) => !isOurs(text))]
    .map((text) => text.replace("One of the following: ", "One of ").replace(/^This .* be repeated .*$/, "Repeatable"))
    .join(". ")
}

/** Keeps optional parts of a call on one line. */
const unbroken = (text: string) => text.replace(/\[[^\]]{1,40}\]/g, (part) => part.replaceAll(" ", "\u00a0"))

/** A call, wrapped to further lines. */
export const call = (text: string) => {
  const [first = "", ...rest] = wrapped(unbroken(text), columns - 4).map((line) => line.replaceAll("\u00a0", " "))
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
}

/** A group's commands, as the parser lists them: usage, two spaces, purpose. */
const commandsOf = (docs: ReadonlyArray<HelpDoc.HelpDoc>) =>
  docs.flatMap(paragraphs).flatMap(({ text }) => {
    const [, usage = "", about = ""] = /^(.*?) {2,}(.*)$/.exec(text) ?? []
    const words = usage.split(" ")
    const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
    // The parser names a group inside a group twice.
    const names = words.slice(0, end === -1 ? undefined : end).filter((word, at) => word !== words[at - 1])
    return [[names.join(" "), about] as const]
  })

/** The parser's help for a command. */
interface Known {
  readonly usage: Usage.Usage
  readonly helpDoc: HelpDoc.HelpDoc
}

/** Help lists our options only, not the parser's own. */
const config = CliConfig.make({ showBuiltIns: false })

/** The names of all commands below a command, as separate words. */
const commandNames = ({ helpDoc }: Known): ReadonlyArray<string> =>
  commandsOf(partsOf(helpDoc).get("COMMANDS") ?? []).map(([name]) => name)

/** The words that name a command. */
const pathOf = (root: Known, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = new Set(commandNames(root))
  const length = words.findLastIndex((_, at) => names.has(words.slice(0, at + 1).join(" "))) + 1
  return words.slice(0, length)
}

/** The names of a group's commands; empty for other commands. */
export const childrenOf = (root: Known, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  commandNames(root).flatMap((name) => {
    const words = name.split(" ")
    const isOwn = words.length === path.length + 1 && path.every((word, at) => word === words[at])
    return isOwn ? words.slice(-1) : []
  })

/** The usage for readers. The parser shows a repeatable option as a required one. */
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

/** The purpose of the whole program. */
const purpose = "Run and administer Findable, the self-hosted search visibility platform"

/** Names with their meanings. */
type Rows = ReadonlyArray<readonly [name: string, meaning: string]>

/** The help of a command or group, in parts. */
export interface Help {
  readonly name: string
  readonly purpose: string
  /** Each way to call it, whole. */
  readonly usage: ReadonlyArray<string>
  /** The commands of a group. */
  readonly commands: Rows
  readonly arguments: Rows
  readonly options: Rows
  readonly exits: Rows
  /** Null for a group. */
  readonly example: string | null
}

/** Takes the parser's help of a command apart. */
export const helpOf = (path: ReadonlyArray<string>, { helpDoc, usage }: Known): Help => {
  const parts = partsOf(helpDoc)
  const about = (parts.get("DESCRIPTION") ?? []).flatMap(paragraphs)
  const [example = null, ...exits] = about.flatMap(({ code }) => code)
  const name = ["findable", ...path].join(" ")
  const commands = commandsOf(parts.get("COMMANDS") ?? [])
  const calls = Usage.enumerate(shownUsage(usage), config).map((span) => {
    const [, ...rest] = plainMessage(HelpDoc.p(span)).split(" ")
    return [name, ...rest].join(" ")
  })
  return {
    name,
    purpose: path.length === 0 ? purpose : about.map(({ text }) => text).join(": "),
    usage: commands.length > 0 ? [`${name} <command>`] : calls,
    commands,
    arguments: (parts.get("ARGUMENTS") ?? []).flatMap(definitions),
    options: (parts.get("OPTIONS") ?? []).flatMap(definitions),
    exits: exits.map((text) => [text.replace(/ .*/, ""), text.replace(/^\d+ /, "")] as const),
    example
  }
}

/** A page of help. */
export const page = (path: ReadonlyArray<string>, known: Known, completions: Rows = []): string => {
  const help = helpOf(path, known)
  return [
    ...wrapped(`${help.name}: ${help.purpose}`, columns),
    ...section("USAGE", help.usage.flatMap(call)),
    ...section("HELP", path.length === 0 ? call(`${invocation} help <command>`) : []),
    ...section("COMMANDS", table(help.commands)),
    ...section("ARGUMENTS", table(help.arguments)),
    ...section("OPTIONS", table(help.options)),
    ...section("EXIT CODES", table(help.exits)),
    ...section("TAB COMPLETION, WHERE findable IS ON YOUR PATH", table(completions)),
    ...section("EXAMPLE", help.example === null ? [] : call(help.example))
  ].join("\n")
}

/** A command line that cannot be parsed. */
class UsageRefused extends Data.TaggedError("UsageRefused")<{ readonly message: string }> {}

/** The part of a command that `isLeaf` reads. */
interface Named {
  readonly descriptor: Descriptor.Command<unknown>
}

const near = (word: string, known: ReadonlyArray<string>) => {
  const meant = nearest(word, known)
  if (meant !== undefined) return `. Did you mean ${meant}?`
  return known.length === 0 ? "" : `. Use one of ${known.join(", ")}`
}

const isHelp = (word: string) => word === "--help" || word === "-h"

/** Whether a command has no subcommands: the parser then lists the command itself as the only one. */
const isLeaf = ({ descriptor }: Named, name: string) => HashMap.has(Descriptor.getSubcommands(descriptor), name)

/** The parser's help for the command that the words name. */
const knownOf = <Name extends string, R, E, A>(root: Command.Command<Name, R, E, A>, path: ReadonlyArray<string>) =>
  Effect.flatMap(Descriptor.parse(root.descriptor, ["findable", ...path, "--help"], config), (directive) =>
    directive._tag === "BuiltIn" && directive.option._tag === "ShowHelp"
      ? Effect.succeed(directive.option)
      : Effect.dieMessage("help is not known")
  )

/** Silences the parser, which prints errors in colours and without the command's name. The end of the process reports the error once. */
const withoutComplaints = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Console.consoleWith(Effect.succeed), (console) =>
    Console.withConsole(effect, { ...console, error: () => Effect.void })
  )

/** The command that the words name, and the names of its subcommands. */
const placeOf = <Name extends string, R, E, A>(
  root: Command.Command<Name, R, E, A>,
  [first, ...others]: ReadonlyArray<Named>,
  words: ReadonlyArray<string>
) => {
  const [word = ""] = words
  // The help of all commands takes longer to build than many commands run. A command without siblings does not need that help.
  return first !== undefined && others.length === 0 && isLeaf(first, word)
    ? Effect.succeed({ children: [], path: [word] })
    : Effect.map(knownOf(root, []), (all) => {
        const path = pathOf(all, words)
        return { children: childrenOf(all, path), path }
      })
}

/** The line in the words of the parser: `help keys create` is `keys create --help`, and `-v` is `--version`. */
export const plainLine = ([runtime = "", program = "", ...words]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = words
  const plain = first === "help" ? [...rest, "--help"] : first === "-v" ? ["--version", ...rest] : words
  return [runtime, program, ...plain]
}

/** Each shell's command for completion. */
const completions = [
  ["bash", "findable --completions bash >> ~/.bashrc"],
  ["zsh", `findable --completions zsh > "\${fpath[1]}/_findable"`],
  ["fish", "findable --completions fish > ~/.config/fish/completions/findable.fish"]
] as const

const shells: ReadonlyArray<string> = ["sh", ...completions.map(([shell]) => shell)]

/** Runs the command that a line of plain words names. `--help`, and a group without a subcommand, print help. */
export const run = <Name extends string, R, E, A>(
  root: Command.Command<Name, R, E, A>,
  commands: ReadonlyArray<Named>,
  argv: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const words = argv.slice(2)
    if (words[0] === "--version") return yield* Console.log(version)
    if (words[0] === "--completions" && !shells.includes(words[1] ?? "")) {
      const message = `--completions takes one of ${shells.join(", ")}. For help: ${invocation} --help`
      return yield* new UsageRefused({ message })
    }
    const { children, path } = yield* placeOf(root, commands, words)
    const name = path.join(" ")
    const rest = words.slice(path.length)
    const [next] = rest
    const isGroup = children.length > 0
    const refused = (reason: string) => {
      const end = /[.?]$/.test(reason) ? "" : "."
      return new UsageRefused({ message: `${reason}${end} For help: ${[invocation, ...path].join(" ")} --help` })
    }
    const lacks = (what: string, word: string, known: ReadonlyArray<string>) =>
      refused(`${name === "" ? "There is" : `${name} has`} no ${what} ${word}${near(word, known)}`)

    if (isGroup && next !== undefined && !next.startsWith("-")) return yield* lacks("command", next, children)
    const isAsked = rest.some(isHelp) || (isGroup && next === undefined)
    // A line without options is parsed without the help, which takes time to build.
    if (isAsked || rest.some(isFlag)) {
      const known = yield* knownOf(root, path)
      if (isAsked) return yield* Console.log(page(path, known, name === "" ? completions : []))
      const fault = faultOf(known.usage, rest)
      if (fault?.is === "unknown") return yield* lacks("option", fault.name, namesOf(known.usage))
      if (fault !== undefined) return yield* refused(`${name}: ${fault.name} needs a value after it`)
    }
    return yield* Command.run(root, { name: "findable", version })(argv).pipe(
      withoutComplaints,
      Effect.catchIf(ValidationError.isValidationError, ({ error }) => refused(`${name}: ${plainMessage(error)}`))
    )
  })
