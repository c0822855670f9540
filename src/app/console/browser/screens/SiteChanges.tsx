import { useSignal } from "@preact/signals"
import type { Intervention } from "../api/Contract.ts"
import { usePages, usePoll, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Act, Form, Input } from "../parts/Acts.tsx"
import { none } from "../parts/Formats.ts"
import { lazy } from "../parts/Lazy.tsx"
import { Empty, Loaded, Outside, Tag, When } from "../parts/Status.tsx"
import { Details, Facts, Missing, Page, Pages, Table, Tabs } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { runHash, type SiteProperties } from "../SiteRoutes.ts"
import { mayRollBack, meaningOf, placeOf, rollbackOf, statuses, statusTones } from "./ChangeWords.ts"

const NewChange = lazy(async () => (await import("./NewChange.tsx")).NewChange)
const Connections = lazy(async () => (await import("./NewChange.tsx")).Connections)

const scope = "interventions:write"

const Status = ({ of: { status } }: { readonly of: Intervention }) => (
  <Tag text={statuses[status]} tone={statusTones[status]} />
)

const hashOfPart = (id: string, part: string) => hashOf(["sites", id, "changes", ...(part === "" ? [] : [part])])

const List = ({ id }: { readonly id: string }) => {
  const changes = usePages<Intervention>(`/projects/${id}/interventions`)
  return (
    <Loaded read={changes}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No changes yet">
            <p>Fix a page through GitHub or WordPress: Findable checks that the fix is live, and can roll it back.</p>
            <p>
              <a class="button main" href={hashOfPart(id, "new")}>
                New change
              </a>
            </p>
          </Empty>
        ) : (
          <>
            <Table
              caption="Changes to the site, the latest first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  cell: (change) => (
                    <>
                      <a href={hashOfPart(id, change.id)}>{change.summary}</a>
                      <small>{change.url}</small>
                    </>
                  ),
                  kind: "address",
                  name: "Change"
                },
                {
                  cell: (change) => (
                    <>
                      <Status of={change} />
                      <small>{change.error}</small>
                    </>
                  ),
                  name: "Status"
                },
                {
                  cell: (change) =>
                    change.pull_request?.url ? (
                      <Outside href={change.pull_request.url} text={`${change.repo} #${change.pull_request.number}`} />
                    ) : (
                      placeOf(change)
                    ),
                  kind: "address",
                  name: "Where"
                },
                { cell: ({ created_at }) => <When at={created_at} />, name: "Created" },
                { cell: ({ deployed_at }) => <When at={deployed_at} />, name: "Live" }
              ]}
            />
            <Pages name="changes" pager={changes.pager} />
          </>
        )
      }
    </Loaded>
  )
}

const Lines = ({ mark, text }: { readonly mark: "+" | "−"; readonly text: string }) => (
  <>
    {text.split("\n").map((line, index) => (
      <span key={index} class={mark === "+" ? "added" : "removed"}>
        {mark} {line}
      </span>
    ))}
  </>
)

/** The values before and after the change; the lines of files are in the pull request. */
const Diff = ({ fields, paths, pull_request }: Intervention) => (
  <>
    {fields?.map(({ after, before, name }) => (
      <figure key={name}>
        <figcaption>
          <code>{name}</code>
        </figcaption>
        <pre class="diff">
          <Lines mark="−" text={before} />
          <Lines mark="+" text={after} />
        </pre>
      </figure>
    ))}
    {paths !== null && (
      <>
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
        </ul>
        {pull_request?.url && (
          <p>
            <Outside href={`${pull_request.url}/files`} text="Compare the files on GitHub" />
          </p>
        )}
      </>
    )}
    {fields === null && paths === null && <p>Findable has no content of a change that was made elsewhere.</p>}
  </>
)

const PullRequest = ({ of }: { readonly of: Intervention["pull_request"] }) => {
  if (of === null) return none
  const name = `#${of.number}`
  return of.url === null ? name : <Outside href={of.url} text={name} />
}

const RollBack = ({
  changed,
  of,
  path
}: {
  readonly of: Intervention
  readonly path: string
  readonly changed: () => void
}) => {
  const reason = useSignal("")
  return (
    <Form
      action="Roll back this change"
      kind="danger"
      scope={scope}
      work={() =>
        ask<Intervention>("POST", `${path}/roll-back`, { body: reason.value === "" ? {} : { reason: reason.value } })
      }
      done={() => {
        announcement.value = "Rollback started."
        changed()
      }}
    >
      <p>{rollbackOf(of)}</p>
      <Input label="Reason" isRequired={false} value={reason} />
    </Form>
  )
}

const One = ({ change, id }: { readonly id: string; readonly change: string }) => {
  const path = `/projects/${id}/interventions/${change}`
  const read = useRead<Intervention>(path)
  usePoll(read.reload, read.data?.next_look_at || read.data?.verifying_run_id ? 10 : null)
  return (
    <Page title={read.data?.summary ?? "Change"} about={read.data !== null && <Status of={read.data} />}>
      <Loaded read={read}>
        {(shown) => (
          <>
            <p>{meaningOf(shown)}</p>
            {shown.error !== null && <p class="bad">{shown.error}</p>}
            <Facts
              of={[
                ["Page", <Outside key="page" href={shown.url} />],
                ["Where", placeOf(shown)],
                ...(shown.connector === "github"
                  ? [
                      ["Pull request", <PullRequest key="pull" of={shown.pull_request} />] as const,
                      ["Branch", `${shown.branch ?? none} → ${shown.base ?? none}`] as const,
                      ["Rollback", <PullRequest key="revert" of={shown.revert_pull_request} />] as const
                    ]
                  : []),
                ...(shown.finding === null
                  ? []
                  : [
                      [
                        "Fixes",
                        <a key="issue" href={runHash(id, shown.finding.run)}>
                          {shown.finding.rule.replaceAll("_", " ")}
                        </a>
                      ] as const
                    ]),
                ...(shown.verified_by_run_id === null
                  ? []
                  : [
                      [
                        "Confirmed by",
                        <a key="verified" href={runHash(id, shown.verified_by_run_id)}>
                          recheck
                        </a>
                      ] as const
                    ])
              ]}
            />
            <Facts
              of={[
                ["Created", <When key="created" at={shown.created_at} />],
                ["Merged or written", <When key="merged" at={shown.merged_at} />],
                ["Live", <When key="live" at={shown.deployed_at} />],
                ["Rolled back", <When key="back" at={shown.rolled_back_at} />],
                ["Next check", <When key="next" at={shown.next_look_at} />]
              ]}
            />
            {shown.reason !== null && <p>Reason of the rollback: {shown.reason}</p>}
            {shown.connector !== "recorded" && (
              <div class="actions">
                <Act
                  action="Recheck change"
                  kind="main"
                  scope={scope}
                  blocked={
                    shown.verifying_run_id === null ? null : (
                      <a href={runHash(id, shown.verifying_run_id)}>Recheck in progress</a>
                    )
                  }
                  work={() => ask<Intervention>("POST", `${path}/refresh`)}
                  done={() => {
                    announcement.value = "Rechecked."
                    read.reload()
                  }}
                />
              </div>
            )}
            <h2>Changed content</h2>
            <Diff {...shown} />
            {mayRollBack(shown) && (
              <Details summary="Roll back…">
                {() => (
                  <div>
                    <RollBack of={shown} path={path} changed={read.reload} />
                  </div>
                )}
              </Details>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const parts = [
  ["", "Changes"],
  ["new", "New change"],
  ["connections", "Connections"]
] as const

/** Pull requests and WordPress changes of a site, one of them, a new one, and the connections. */
export const SiteChanges = ({ rest, site }: SiteProperties) => {
  const [part = "", ...more] = rest
  const title = parts.find(([segment]) => segment === part)?.[1]
  const { id } = site
  if (more.length > 0) return <Missing />
  if (title === undefined) return <One id={id} change={part} />
  return (
    <Page title={part === "" ? `Changes of ${site.name}` : title}>
      <Tabs
        label="Changes"
        of={parts.map(([segment, name]) => ({ href: hashOfPart(id, segment), isCurrent: segment === part, name }))}
      />
      {part === "" && <List id={id} />}
      {part === "new" && <NewChange site={site} />}
      {part === "connections" && <Connections id={id} />}
    </Page>
  )
}
