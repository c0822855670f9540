import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import { version } from "../schema/Version.ts"
import { nearest } from "../text/Words.ts"
import * as Help from "./Help.ts"

/** A command line that cannot be parsed. */
class UsageRefused extends Data.TaggedError("UsageRefused")<{ readonly message: string }> {}

/** The part of a command that its place among others needs. */
interface Named {
  readonly descriptor: Descriptor.Command<unknown>
}

const near = (word: string, known: ReadonlyArray<string>) => {
  const meant = nearest(word, known)
  return meant === undefined ? `: there are ${known.join(", ")}` : `, did you mean ${meant}`
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

/** Runs the command of a root, made of some commands, that a line of words names; `--help`, and a group without one of its commands, print help. */
export const run = <Name extends string, R, E, A>(
  root: Command.Command<Name, R, E, A>,
  commands: ReadonlyArray<Named>,
  argv: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const words = argv.slice(2)
    const { children, path } = yield* placeOf(root, commands, words)
    const next = words[path.length]
    if (words.some(isHelp) || (children.length > 0 && next === undefined)) {
      return yield* Console.log(Help.page(path, yield* knownOf(root, path)))
    }
    const name = path.join(" ")
    const refused = (reason: string) =>
      new UsageRefused({ message: `${name}${reason}; see ${["findable", ...path].join(" ")} --help`.trim() })
    if (children.length > 0 && next !== undefined && !next.startsWith("-")) {
      return yield* refused(` has no command ${next}${near(next, children)}`)
    }
    return yield* Command.run(root, { name: "findable", version })(argv).pipe(
      withoutComplaints,
      Effect.catchIf(ValidationError.isValidationError, ({ error }) => refused(`: ${Help.plain(error)}`))
    )
  })
