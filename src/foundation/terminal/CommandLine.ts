import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import { version } from "../schema/Version.ts"
import { nearest } from "../text/Words.ts"
import * as Flags from "./Flags.ts"
import * as Help from "./Help.ts"

/** A command line that cannot be parsed. */
class UsageRefused extends Data.TaggedError("UsageRefused")<{ readonly message: string }> {}

/** The part of a command that its place among others needs. */
interface Named {
  readonly descriptor: Descriptor.Command<unknown>
}

const near = (word: string, known: ReadonlyArray<string>) => {
  const meant = nearest(word, known)
  if (meant !== undefined) return `, did you mean ${meant}`
  return known.length === 0 ? "" : `: there are ${known.join(", ")}`
}

const isHelp = (word: string) => word === "--help" || word === "-h"

/** Whether a command has no commands of its own: the parser lists it as the only one, by its own name. */
const isLeaf = ({ descriptor }: Named, name: string) => HashMap.has(Descriptor.getSubcommands(descriptor), name)

/** The parser's help for the command that the words name. */
const knownOf = <Name extends string, R, E, A>(root: Command.Command<Name, R, E, A>, path: ReadonlyArray<string>) =>
  Effect.flatMap(Descriptor.parse(root.descriptor, ["findable", ...path, "--help"], Help.config), (directive) =>
    directive._tag === "BuiltIn" && directive.option._tag === "ShowHelp"
      ? Effect.succeed(directive.option)
      : Effect.dieMessage("help is not known")
  )

/** Silences the parser, which prints its errors in colours and without the command's name; the error is reported once, where the process ends. */
const withoutComplaints = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Console.consoleWith(Effect.succeed), (console) =>
    Console.withConsole(effect, { ...console, error: () => Effect.void })
  )

/** Which command the words name, and the names of its own commands. */
const placeOf = <Name extends string, R, E, A>(
  root: Command.Command<Name, R, E, A>,
  [first, ...others]: ReadonlyArray<Named>,
  words: ReadonlyArray<string>
) => {
  const [word = ""] = words
  // Building the help of all commands takes longer than many commands run; a command without siblings does not need it.
  return first !== undefined && others.length === 0 && isLeaf(first, word)
    ? Effect.succeed({ children: [], path: [word] })
    : Effect.map(knownOf(root, []), (all) => {
        const path = Help.pathOf(all, words)
        return { children: Help.childrenOf(all, path), path }
      })
}

/** The line in the words of the parser: `help keys create` is `keys create --help`, and `-v` is `--version`. */
export const plainLine = ([runtime = "", program = "", ...words]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = words
  const plain = first === "help" ? [...rest, "--help"] : first === "-v" ? ["--version", ...rest] : words
  return [runtime, program, ...plain]
}

/** How each shell learns to complete command lines. */
const completions = [
  ["bash", "findable --completions bash >> ~/.bashrc"],
  ["zsh", `findable --completions zsh > "\${fpath[1]}/_findable"`],
  ["fish", "findable --completions fish > ~/.config/fish/completions/findable.fish"]
] as const

const shells: ReadonlyArray<string> = ["sh", ...completions.map(([shell]) => shell)]

/** Runs the command of a root, made of some commands, that a plain line of words names; `--help`, and a group without one of its commands, print help. */
export const run = <Name extends string, R, E, A>(
  root: Command.Command<Name, R, E, A>,
  commands: ReadonlyArray<Named>,
  argv: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const words = argv.slice(2)
    if (words[0] === "--version") return yield* Console.log(version)
    if (words[0] === "--completions" && !shells.includes(words[1] ?? "")) {
      return yield* new UsageRefused({ message: `--completions knows ${shells.join(", ")}; see findable --help` })
    }
    const { children, path } = yield* placeOf(root, commands, words)
    const name = path.join(" ")
    const rest = words.slice(path.length)
    const [next] = rest
    const isGroup = children.length > 0
    const refused = (reason: string) =>
      new UsageRefused({ message: `${reason}; see ${["findable", ...path].join(" ")} --help` })
    const lacks = (what: string, word: string, known: ReadonlyArray<string>) =>
      refused(`${name === "" ? "there is" : `${name} has`} no ${what} ${word}${near(word, known)}`)

    if (isGroup && next !== undefined && !next.startsWith("-")) return yield* lacks("command", next, children)
    const isAsked = rest.some(isHelp) || (isGroup && next === undefined)
    // A line without options is parsed at once: the help of a command takes time to build.
    if (isAsked || rest.some(Flags.isFlag)) {
      const known = yield* knownOf(root, path)
      if (isAsked) return yield* Console.log(Help.page(path, known, name === "" ? completions : []))
      const fault = Flags.faultOf(known.usage, rest)
      if (fault?.is === "unknown") return yield* lacks("option", fault.name, Flags.namesOf(known.usage))
      if (fault !== undefined) return yield* refused(`${name}: ${fault.name} needs a value behind it`)
    }
    return yield* Command.run(root, { name: "findable", version })(argv).pipe(
      withoutComplaints,
      Effect.catchIf(ValidationError.isValidationError, ({ error }) => refused(`${name}: ${Help.plain(error)}`))
    )
  })
