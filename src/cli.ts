import * as Command from "@effect/cli/Command"
import * as BunCommandExecutor from "@effect/platform-bun/BunCommandExecutor"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { run } from "./app/node/Run.ts"
import { asked } from "./app/operator/Commands.ts"
import * as CommandLine from "./foundation/terminal/CommandLine.ts"

const findable = Effect.flatMap(Effect.all(asked(process.argv)), (commands) =>
  CommandLine.run(Command.make("findable").pipe(Command.withSubcommands(commands)), commands, process.argv)
)

/** Platform services of the commands. */
const platform = Layer.mergeAll(BunCommandExecutor.layer, BunPath.layer, BunTerminal.layer).pipe(
  Layer.provideMerge(BunFileSystem.layer)
)

run(Effect.provide(findable, platform), BunRuntime.runMain)
