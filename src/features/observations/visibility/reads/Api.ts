import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about, described } from "../../../../foundation/http/Contract.ts"
import { exportableList } from "../../../../foundation/http/Endpoints.ts"
import { Page, PageParameters } from "../../../../foundation/http/Pagination.ts"
import { Data, inPath, input } from "../../../../foundation/http/RequestSchemas.ts"
import { GeoRead } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Engine, Outcome, RunId } from "../Domain.ts"
import { CitedDomain, GeoAnswer, GeoPower, Visible } from "./Domain.ts"

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const optional = { exact: true } as const

const ofEngine = {
  engine: Schema.optionalWith(Engine, optional).annotations({ description: "Only this engine" })
}

const AnyRun = RunId.annotations({ message: () => "must be the id of a run" })
const ofRun = (description: string) => Schema.optionalWith(AnyRun, optional).annotations({ description })

const number = (pattern: RegExp, least: number, most: number, what: string) =>
  Schema.String.pipe(
    Schema.filter((text) => pattern.test(text) && Number(text) >= least && Number(text) <= most, {
      message: () => `must be ${what} from ${least} to ${most}`
    }),
    Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
    Schema.annotations({
      jsonSchema: { maximum: most, minimum: least, type: what === "an integer" ? "integer" : "number" }
    })
  )
const needed = <I>(schema: Schema.Schema<number, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

const integer = (most: number) => number(/^\d{1,3}$/, 1, most, "an integer")

/** What AI engines said. */
export class GeoApi extends HttpApiGroup.make("geo")
  .annotateContext(about("How visible a site is in the answers of AI engines, as their APIs give them."))
  .add(
    HttpApiEndpoint.get("visibility", "/projects/:project_id/geo/visibility")
      .annotateContext(
        described(
          "Read AI visibility",
          "Rates of the newest finished run, for each engine that it asked; with `engine` of the newest that asked it. Empty before the first. With `compare`, each engine is compared with another run of the project by prompt."
        )
      )
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct({ ...ofEngine, compare: ofRun("UUID of the run to compare with") })))
      .addSuccess(Data(Schema.Array(Visible)))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(GeoRead)
  )
  .add(
    exportableList("answers", "/projects/:project_id/geo/answers", {
      summary: "List the answers of AI engines",
      description: "Answers of the project's runs, those of the newest run first.",
      page: Page(GeoAnswer),
      scope: GeoRead
    })
      .setPath(OfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            ...PageParameters,
            outcome: Schema.optionalWith(Outcome, optional).annotations({ description: "Only this outcome" }),
            run_id: ofRun("Only answers of this run")
          })
        )
      )
  )
  .add(
    exportableList("domains", "/projects/:project_id/geo/domains", {
      summary: "List the domains that answers cite",
      description:
        "Hosts that the answers of a run cite, the most cited first (`answers`, then `domain`): of the newest finished run unless `run_id` names one.",
      page: Page(CitedDomain),
      scope: GeoRead
    })
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...ofEngine, run_id: ofRun("UUID of the run to read") })))
  )
  .add(
    HttpApiEndpoint.get("power", "/projects/:project_id/geo/power")
      .annotateContext(
        described(
          "Plan prompts and repeats",
          "The chance to notice that the share of citing answers rises by 10 points, for a number of prompts and repeats and the share before; under 20 prompts no change is published. Computed, not measured: answers to a prompt are taken to be alike with a correlation of 0.5."
        )
      )
      .setPath(OfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            prompts: needed(integer(200), "Prompts, 1 to 200"),
            repeats: needed(integer(10), "How often each is asked, 1 to 10"),
            rate: needed(
              number(/^0?\.\d{1,20}$/, 0.01, 0.89, "a fraction"),
              "Share of citing answers before the change, 0.01 to 0.89"
            )
          })
        )
      )
      .addSuccess(Data(GeoPower))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(GeoRead)
  )
  .prefix("/api/v1") {}
