import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyLimit,
  BodyText,
  body,
  Created,
  Data,
  described,
  IdempotencyHeaders,
  inPath,
  list,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { field, webUrl } from "../../foundation/schema/Scalars.ts"
import { InterventionsRead, InterventionsWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { bodyBytes, Intervention, InterventionId, NewIntervention, RollBack } from "./Domain.ts"

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

/** Whether there are credentials. */
const Configured = Schema.Struct({
  configured: Schema.Boolean.annotations({ description: "Whether credentials are stored; they are never answered" })
}).annotations({ identifier: "ConnectorState", description: "Whether a connector has credentials" })

const secret = (accepts: RegExp, message: string) =>
  Schema.Redacted(Schema.String.pipe(Schema.pattern(accepts, { message: () => message })))

const PutGitHub = Schema.Struct({
  token: secret(/^[\x21-\x7e]{1,500}$/, "must be a token of 1 to 500 characters, without blanks").annotations({
    description: "Token that may read and write contents and pull requests of the repositories; stored encrypted"
  })
}).annotations({ identifier: "PutGitHubConnector", description: "A token of GitHub" })

const isSite = (address: string) => {
  const url = webUrl(address)
  return address.length <= 2048 && url._tag === "Some" && url.value.search === "" && url.value.hash === ""
}

const PutWordPress = Schema.Struct({
  url: field(
    Schema.String.pipe(
      Schema.filter(isSite, {
        jsonSchema: { format: "uri", maxLength: 2048 },
        message: () =>
          "must be an http or https address without credentials, query and fragment, at most 2048 characters"
      })
    ),
    "Address of the WordPress installation; the credentials go to this origin alone, so use https"
  ),
  username: field(
    Schema.String.pipe(
      Schema.filter((text) => /^[^:\p{Cc}]{1,200}$/u.test(text) && text.isWellFormed(), {
        jsonSchema: { maxLength: 200, minLength: 1, pattern: "^[^:]+$" },
        message: () => "must be 1 to 200 characters without a colon"
      })
    ),
    "User whose application password it is"
  ),
  application_password: secret(/^[\x20-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters").annotations({
    description: "Application password of that user; stored encrypted"
  })
}).annotations({ identifier: "PutWordPressConnector", description: "An application password of WordPress, and where" })
export type PutWordPress = typeof PutWordPress.Type

const ConnectorsOfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const github = "/projects/:project_id/connectors/github" as const
const wordpress = "/projects/:project_id/connectors/wordpress" as const

/** Credentials by which sites are changed. */
export class ConnectorsApi extends HttpApiGroup.make("connectors")
  .annotateContext(about("Credentials by which sites are changed."))
  .add(
    read("getGitHub", github, {
      summary: "Read the connection to GitHub",
      description: "Whether the project has a token of GitHub.",
      ids: ConnectorsOfProject,
      of: Configured,
      scope: InterventionsWrite
    })
  )
  .add(
    HttpApiEndpoint.put("putGitHub", github)
      .annotateContext(
        described(
          "Connect to GitHub",
          "Stores a token, encrypted, instead of the one before. What waits for one goes on. Whether GitHub takes it shows with the first intervention."
        )
      )
      .setPath(ConnectorsOfProject)
      .setPayload(body(PutGitHub))
      .addSuccess(Data(Configured))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .add(
    remove("removeGitHub", github, {
      summary: "Disconnect from GitHub",
      description: "Deletes the token. Interventions stay; those under way wait for another token.",
      ids: ConnectorsOfProject,
      scope: InterventionsWrite
    })
  )
  .add(
    read("getWordPress", wordpress, {
      summary: "Read the connection to WordPress",
      description: "Whether the project has an application password of WordPress.",
      ids: ConnectorsOfProject,
      of: Configured,
      scope: InterventionsWrite
    })
  )
  .add(
    HttpApiEndpoint.put("putWordPress", wordpress)
      .annotateContext(
        described(
          "Connect to WordPress",
          "Stores an application password, encrypted, instead of the one before, with the address that alone gets it. The address must be a public one."
        )
      )
      .setPath(ConnectorsOfProject)
      .setPayload(body(PutWordPress))
      .addSuccess(Data(Configured))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .add(
    remove("removeWordPress", wordpress, {
      summary: "Disconnect from WordPress",
      description: "Deletes the application password. Interventions stay; those under way wait for another one.",
      ids: ConnectorsOfProject,
      scope: InterventionsWrite
    })
  )
  .prefix("/api/v1") {}
