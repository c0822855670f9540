import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about, described } from "../../../../foundation/http/Contract.ts"
import { read, remove } from "../../../../foundation/http/Endpoints.ts"
import { body, Data, inPath } from "../../../../foundation/http/RequestSchemas.ts"
import { field } from "../../../../foundation/schema/Field.ts"
import { webUrl } from "../../../../foundation/schema/WebAddress.ts"
import { InterventionsWrite } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"

/** Whether there are credentials. */
export const Configured = Schema.Struct({
  configured: Schema.Boolean.annotations({ description: "Whether credentials are stored; they are never answered" })
}).annotations({ identifier: "ConnectorState", description: "Whether a connector has credentials" })

const secret = (accepts: RegExp, message: string) =>
  Schema.Redacted(Schema.String.pipe(Schema.filter((text) => accepts.test(text), { message: () => message })))

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
        message: () =>
          "must be an http or https address without credentials, query and fragment, at most 2048 characters"
      })
    ),
    "Address of the WordPress installation; the credentials go to this origin alone, so use https"
  ),
  username: field(
    Schema.String.pipe(
      Schema.filter((text) => /^[^:\p{Cc}]{1,200}$/u.test(text) && text.isWellFormed(), {
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

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const github = "/projects/:project_id/connectors/github" as const
const wordpress = "/projects/:project_id/connectors/wordpress" as const

/** Credentials by which sites are changed. */
export class ConnectorsApi extends HttpApiGroup.make("connectors")
  .annotateContext(about("Credentials by which sites are changed."))
  .add(
    read("getGitHub", github, {
      summary: "Read the connection to GitHub",
      description: "Whether the project has a token of GitHub.",
      ids: OfProject,
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
      .setPath(OfProject)
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
      ids: OfProject,
      scope: InterventionsWrite
    })
  )
  .add(
    read("getWordPress", wordpress, {
      summary: "Read the connection to WordPress",
      description: "Whether the project has an application password of WordPress.",
      ids: OfProject,
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
      .setPath(OfProject)
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
      ids: OfProject,
      scope: InterventionsWrite
    })
  )
  .prefix("/api/v1") {}
