import * as Options from "@effect/cli/Options"
import { ProjectId } from "../../projects/Domain.ts"

/** `--project`: the site that a command is about. */
export const project = Options.text("project").pipe(
  Options.withSchema(ProjectId),
  Options.withDescription("id of the project")
)
