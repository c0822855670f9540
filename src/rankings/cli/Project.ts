import * as Options from "@effect/cli/Options"
import { option } from "../../cli/Typed.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** `--project`: the site that a command is about. */
export const project = option("project", ProjectId).pipe(Options.withDescription("id of the project"))
