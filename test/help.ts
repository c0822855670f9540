/** The help of every command of the command line, found from the root. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import { asked } from "../src/app/operator/Commands.ts"
import * as CommandLine from "../src/foundation/terminal/CommandLine.ts"

const config = CliConfig.make({ showBuiltIns: false })

const whole = Effect.map(Effect.all(asked([])), (commands) =>
  Command.make("findable").pipe(Command.withSubcommands(commands))
)

type Whole = Effect.Effect.Success<typeof whole>

const knownOf = (root: Whole, path: ReadonlyArray<string>) =>
  Effect.flatMap(Descriptor.parse(root.descriptor, ["findable", ...path, "--help"], config), (directive) =>
    directive._tag === "BuiltIn" && directive.option._tag === "ShowHelp"
      ? Effect.succeed(directive.option)
      : Effect.dieMessage(`no help of ${path.join(" ")}`)
  )

/** Each command and group with its path and the parser's help, a group before its commands. */
export const helpPages = Effect.gen(function* () {
  const root = yield* whole
  const all = yield* knownOf(root, [])
  const under = (path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => [
    path,
    ...CommandLine.childrenOf(all, path).flatMap((child) => under([...path, child]))
  ]
  return yield* Effect.forEach(under([]), (path) => Effect.map(knownOf(root, path), (known) => ({ known, path })))
}).pipe(Effect.provide(BunContext.layer))
