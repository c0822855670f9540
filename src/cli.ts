import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import { asked } from "./commands.ts"
import { run } from "./node/Run.ts"
import * as CommandLine from "./terminal/CommandLine.ts"

const findable = Effect.flatMap(Effect.all(asked(process.argv)), (commands) =>
  CommandLine.run(Command.make("findable").pipe(Command.withSubcommands(commands)), commands, process.argv)
)

run(Effect.provide(findable, BunContext.layer), BunRuntime.runMain)
