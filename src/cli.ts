import * as Command from "@effect/cli/Command"
import * as BunCommandExecutor from "@effect/platform-bun/BunCommandExecutor"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Run from "./app/node/Run.ts"
import { asked } from "./app/operator/Commands.ts"
import * as CommandLine from "./foundation/terminal/CommandLine.ts"

const line = CommandLine.plainLine(process.argv)

const findable = Effect.flatMap(Effect.all(asked(line)), (commands) =>
  CommandLine.run(Command.make("findable").pipe(Command.withSubcommands(commands)), commands, line)
)

/** Platform services of the commands. */
const platform = Layer.mergeAll(BunCommandExecutor.layer, BunPath.layer, BunTerminal.layer).pipe(
  Layer.provideMerge(BunFileSystem.layer)
)

const run = process.argv[2] === "serve" ? Run.serve : Run.run
run(Effect.provide(findable, platform), BunRuntime.runMain)
