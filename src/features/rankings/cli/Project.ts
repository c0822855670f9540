import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { SitesRepo } from "../SitesRepo.ts"

/** `--project`: the site that a command is about. */
export const project = option("project", ProjectId).pipe(Options.withDescription("id of the project"))

/** The site of a project. */
export const siteOf = (project: ProjectId) =>
  Effect.flatMap(SitesRepo, (sites) => Effect.flatten(sites.find({ site: project }))).pipe(
    Effect.mapError(() => new NotFound({ message: `There is no project ${project}` }))
  )
