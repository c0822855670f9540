import * as Options from "@effect/cli/Options"
import { ProjectId } from "../../projects/Domain.ts"
import { option } from "../../terminal/Typed.ts"

/** `--project`: the site that a command is about. */
export const project = option("project", ProjectId).pipe(Options.withDescription("id of the project"))
