/** A host name for comparisons: `www.` does not make another site, unless only one label would be left. */
export const bareHost = (host: string): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, "")
