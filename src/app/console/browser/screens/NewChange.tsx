import { type Signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { Connector, Intervention, Project } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { ask, may } from "../api/Session.ts"
import { announcement, go, refine, route } from "../Place.ts"
import { Act, Area, Form, Input, Lacks } from "../parts/Acts.tsx"
import { addressOf } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { Loaded, Tag } from "../parts/Status.tsx"
import { Details } from "../parts/Tables.tsx"

const scope = "interventions:write"

const kinds = [
  { text: "GitHub pull request", value: "github" },
  { text: "WordPress", value: "wordpress" },
  { text: "Record a change", value: "recorded" }
] as const

type Kind = (typeof kinds)[number]["value"]

/** Only filled fields. */
const filled = (fields: Readonly<Record<string, Signal<string>>>) =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, { value }]) => (value === "" ? [] : [[name, value]])))

const Send = ({
  action,
  body,
  children,
  id,
  kind
}: {
  readonly id: string
  readonly kind: Kind
  readonly action: string
  readonly body: () => object
  readonly children: ComponentChildren
}) => (
  <Form
    action={action}
    scope={scope}
    work={() => ask<Intervention>("POST", `/projects/${id}/interventions`, { body: { connector: kind, ...body() } })}
    done={(made) => {
      announcement.value = "Change created."
      go(["sites", id, "changes", made.id])
    }}
  >
    {children}
  </Form>
)

const GitHub = ({ id }: { readonly id: string }) => {
  const [repo, base, url, summary] = [useSignal(""), useSignal(""), useSignal(""), useSignal("")]
  const [path, sha, content] = [useSignal(""), useSignal(""), useSignal("")]
  return (
    <Send
      id={id}
      kind="github"
      action="Open pull request"
      body={() => ({
        ...filled({ base }),
        ...(url.value === "" ? {} : { url: addressOf(url.value) }),
        changes: [{ content: content.value, expected_sha: sha.value || null, path: path.value }],
        repo: repo.value,
        summary: summary.value
      })}
    >
      <Input label="Summary" value={summary} hint="The first line is the title of the pull request." />
      <Input label="Repository" value={repo} hint="owner/name" />
      <Input label="Target branch" value={base} isRequired={false} hint="The default branch if you leave it empty." />
      <Input label="Changed page" type="url" value={url} isRequired={false} hint="A URL of this site." />
      <Input label="File" value={path} hint="Path in the repository." />
      <Input
        label="Current blob SHA"
        value={sha}
        isRequired={false}
        hint="GitHub’s sha of the file. Leave it empty for a new file. If the file differs, nothing is written."
      />
      <div class="code">
        <Area label="New content of the whole file" rows={10} value={content} />
      </div>
    </Send>
  )
}

const WordPress = ({ id }: { readonly id: string }) => {
  const [type, post, summary] = [useSignal("posts"), useSignal(""), useSignal("")]
  const [field, key, value] = [useSignal("title"), useSignal("_yoast_wpseo_metadesc"), useSignal("")]
  return (
    <Send
      id={id}
      kind="wordpress"
      action="Write to WordPress"
      body={() => ({
        ...filled({ summary }),
        ...(field.value === "title" ? { title: value.value } : { meta: { [key.value]: value.value } }),
        post_id: Number(post.value),
        post_type: type.value
      })}
    >
      <div class="field">
        <Select
          label="Post type"
          options={{ pages: "Page", posts: "Post" }}
          value={type.value}
          choose={(chosen) => {
            type.value = chosen
          }}
        />
      </div>
      <Input label="Post ID" type="number" value={post} />
      <div class="field">
        <Select
          label="Field"
          options={{ meta: "Meta field", title: "Title" }}
          value={field.value}
          choose={(chosen) => {
            field.value = chosen
          }}
        />
      </div>
      {field.value === "meta" && <Input label="Key of the meta field" value={key} />}
      <Area label="New value" rows={2} value={value} />
      <Input label="Summary" value={summary} isRequired={false} />
      <p>Findable writes immediately, reads the value back and checks the page. You can roll back.</p>
    </Send>
  )
}

const Recorded = ({ id, url: home }: Project) => {
  const [url, summary, system, at] = [useSignal(home), useSignal(""), useSignal(""), useSignal("")]
  return (
    <Send
      id={id}
      kind="recorded"
      action="Record change"
      body={() => ({
        ...filled({ system }),
        ...(at.value === "" ? {} : { deployed_at: `${at.value}T00:00:00Z` }),
        summary: summary.value,
        url: addressOf(url.value)
      })}
    >
      <Input label="Summary" value={summary} />
      <Input label="Changed page" type="url" value={url} />
      <Input label="System" value={system} isRequired={false} hint="Such as the name of a CMS." />
      <Input label="Live since" type="date" value={at} isRequired={false} hint="Now if you leave it empty." />
    </Send>
  )
}

/** A new change, by its connector. */
export const NewChange = ({ site }: { readonly site: Project }) => {
  const asked = route.value.query.get("by")
  const kind = kinds.find(({ value }) => value === asked)?.value ?? "github"
  return (
    <>
      <Choice label="Kind of change" chosen={kind} options={kinds} choose={(by) => refine({ by })} />
      {kind === "github" && <GitHub id={site.id} />}
      {kind === "wordpress" && <WordPress id={site.id} />}
      {kind === "recorded" && <Recorded {...site} />}
    </>
  )
}

/** A connection with its state; its fields, when it is connected, are behind a summary. */
const Connection = ({
  about,
  children,
  path,
  title
}: {
  readonly title: string
  readonly about: string
  readonly path: string
  readonly children: (changed: () => void) => ComponentChildren
}) => {
  const state = useRead<Connector>(path)
  return (
    <section>
      <h2>{title}</h2>
      <p>{about}</p>
      <Loaded read={state}>
        {({ configured }) =>
          configured ? (
            <>
              <div class="actions">
                <Tag text="connected" tone="good" />
                <Act
                  action={`Disconnect ${title}`}
                  kind="danger"
                  scope={scope}
                  work={() => ask("DELETE", path)}
                  done={state.reload}
                />
              </div>
              <Details summary="Replace the credentials">{() => children(state.reload)}</Details>
            </>
          ) : (
            children(state.reload)
          )
        }
      </Loaded>
    </section>
  )
}

const ConnectGitHub = ({ changed, path }: { readonly path: string; readonly changed: () => void }) => {
  const token = useSignal("")
  return (
    <Form
      action="Connect GitHub"
      scope={scope}
      work={() => ask("PUT", path, { body: { token: token.value } })}
      done={() => {
        token.value = ""
        changed()
      }}
    >
      <Input
        label="GitHub token"
        type="password"
        value={token}
        hint="With read and write access to contents and pull requests. Stored encrypted and never shown."
      />
    </Form>
  )
}

const ConnectWordPress = ({ changed, path }: { readonly path: string; readonly changed: () => void }) => {
  const [url, username, password] = [useSignal(""), useSignal(""), useSignal("")]
  return (
    <Form
      action="Connect WordPress"
      scope={scope}
      work={() =>
        ask("PUT", path, {
          body: { application_password: password.value, url: addressOf(url.value), username: username.value }
        })
      }
      done={() => {
        password.value = ""
        changed()
      }}
    >
      <Input label="WordPress URL" type="url" value={url} hint="The credentials go to this origin only." />
      <Input label="Username" value={username} />
      <Input
        label="Application password"
        type="password"
        value={password}
        hint="Created in WordPress under Users, Profile. Stored encrypted and never shown."
      />
    </Form>
  )
}

/** The connections for changing the site. */
export const Connections = ({ id }: { readonly id: string }) => {
  const [github, wordpress] = [`/projects/${id}/connectors/github`, `/projects/${id}/connectors/wordpress`]
  return may(scope) ? (
    <>
      <Connection title="GitHub" about="Findable opens pull requests; you merge them." path={github}>
        {(changed) => <ConnectGitHub path={github} changed={changed} />}
      </Connection>
      <Connection title="WordPress" about="Findable writes titles and meta fields." path={wordpress}>
        {(changed) => <ConnectWordPress path={wordpress} changed={changed} />}
      </Connection>
    </>
  ) : (
    <p>
      <Lacks scope={scope} />
    </p>
  )
}
