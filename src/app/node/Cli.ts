import * as Command from "@effect/cli/Command"
import { described } from "../../foundation/terminal/CommandLine.ts"
import * as Node from "./Node.ts"

/** `serve` */
export const serve = Command.make("serve", {}, () => Node.launch).pipe(
  Command.withDescription(
    described("start the server and its workers, as the settings of the environment say", "serve")
  )
)
