import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, BodyLimit, BodyText, described } from "../../../foundation/http/Contract.ts"
import { list, read } from "../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { body, Data, inPath } from "../../../foundation/http/RequestSchemas.ts"
import { InterventionsRead, InterventionsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Intervention, InterventionId } from "./Domain.ts"
import { bodyBytes, NewIntervention, RollBack } from "./Payloads.ts"

const all = "/projects/:project_id/interventions" as const
const one = `${all}/:intervention_id` as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfIntervention = Schema.Struct({ ...OfProject.fields, intervention_id: inPath(InterventionId) })

/** Changes of a site. */
export class InterventionsApi extends HttpApiGroup.make("interventions")
  .annotateContext(
    about("Changes of a site: proposed or written through a connector, seen on the site, and taken back.")
  )
  .add(
    HttpApiEndpoint.post("create", all)
      .annotateContext(
        described(
          "Change a site",
          "`github` opens a pull request on a branch of its own; where a file is not what `expected_sha` says, the answer is 409 and nothing is written. `wordpress` writes a title or meta fields, reads them back and looks for them on the page; what WordPress does not take is 422 and nothing is written. `recorded` records a change that was made elsewhere. Without the connector, and where the other side refuses, the answer is 409; while it does not answer, 503 where nothing was begun, else 201 with what it waits for in `error`. A write is sent once, whatever comes back: what it did is read, and the answer is 201 with `deployed`, `merged` or `conflict`. Files that run code are refused."
        )
      )
      .annotate(BodyLimit, bodyBytes.all)
      .annotate(BodyText, bodyBytes.text)
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(NewIntervention))
      .addSuccess(Created(Intervention), { status: 201 })
      .addSuccess(Created(Intervention))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(InterventionsWrite)
  )
  .add(
    list("list", all, {
      summary: "List interventions",
      description: "The changes of a project, the newest first (`created_at`, then `id`).",
      of: Intervention,
      scope: InterventionsRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Read an intervention",
      description: "A change and where it stands.",
      ids: OfIntervention,
      of: Intervention,
      scope: InterventionsRead
    })
  )
  .add(
    HttpApiEndpoint.post("rollBack", `${one}/roll-back`)
      .annotateContext(
        described(
          "Take a change back",
          "An open pull request is closed and its branch deleted. Of a merged one the files are put back by a second pull request, and the change is `rolled_back` when that is merged. At WordPress the earlier values are written. Where a file or value is not what this change made of it any more, the answer is 409 and nothing is written. Writes are sent once here too; a `conflict` after a write is taken back like any other change. While a rollback is under way, it is answered as it is."
        )
      )
      .setPath(OfIntervention)
      .setPayload(body(RollBack))
      .addSuccess(Data(Intervention))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(InterventionsWrite)
  )
  .add(
    HttpApiEndpoint.post("refresh", `${one}/refresh`)
      .annotateContext(
        described(
          "Look at a change now",
          "Asks the other side how the change stands, as happens by itself every few minutes. One that is merged, or that was not verified, is looked for on the site once more, beside the times at which that happens by itself; a run that this takes counts against the quotas."
        )
      )
      .setPath(OfIntervention)
      .addSuccess(Data(Intervention))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .prefix("/api/v1") {}
