-- Search engines. Source: elastic.co/guide/en/elasticsearch/reference, docs.opensearch.org, meilisearch.com/docs/reference/api,
-- algolia.com/doc/rest-api, typesense.org/docs.

local SHOW = "A GET of the same address shows what it is"

return {
  about = "indexes of Elasticsearch, OpenSearch, Algolia, Meilisearch, Typesense and Solr",
  rules = {
    { "elasticsearch-delete", http = { "DELETE", "*:9200/*", "*elastic*/*", "*opensearch*/*", "*.es.amazonaws.com/*", "*/_all", "*/_snapshot/*", "*/_data_stream/*" }, because = "removes an index or what is in it", instead = SHOW },
    { "elasticsearch-delete-by-query", http = { "POST", "*/_delete_by_query*" }, because = "removes all documents that a query matches", instead = "Use _count with the same query first" },
    { "elasticsearch-close", http = { "POST", "*/_close", "*:9200/*/_flush/synced", "*/_forcemerge*", "*:9200/_cluster/reroute*" }, because = "takes an index out of use" },
    { "elasticsearch-settings", http = { "PUT", "*/_cluster/settings*", "*:9200/*/_settings*" }, because = "changes settings of a whole cluster", instead = "Let the user do it" },
    { "meilisearch-delete", http = { "DELETE", "*:7700/*", "*meilisearch*/*" }, because = "removes an index, its documents or a key", instead = SHOW },
    { "meilisearch-delete-batch", http = { "POST", "*/documents/delete-batch*", "*/documents/delete" }, because = "removes documents", instead = SHOW },
    { "algolia-delete", http = { "DELETE", "*.algolia.net/*", "*.algolianet.com/*" }, because = "removes an index, its records or a key", instead = SHOW },
    { "algolia-clear", http = { "POST", "*.algolia.net/*/clear", "*.algolia.net/*/deletebyquery", "*.algolia.net/*/deleteByQuery" }, because = "removes records of an index", instead = SHOW },
    { "algolia-cli", runs = { "algolia indices|index delete|clear", "algolia objects|rules|synonyms|apikeys|profile|dictionary delete|remove|clear", "algolia objects delete" }, because = "removes an index, its records or a key" },
    { "algolia-code", runs = "node|nodejs|python|python3|ruby|php", says = { ".deleteindex(", ".clearobjects(", ".deleteby(", ".delete_index(", ".clear_objects(", ".deletealiases(", ".indices.delete(", ".delete_by_query(" }, because = "removes an index or its records from within a program" },
    { "typesense-delete", http = { "DELETE", "*:8108/*", "*typesense*/*" }, because = "removes a collection or its documents", instead = SHOW },
    { "solr-delete", runs = "solr delete", because = "removes a core or a collection" },
    { "elasticsearch-tools", runs = { "curator_cli delete-indices|delete-snapshots|delete_indices|delete_snapshots", "elasticsearch-node detach-cluster|unsafe-bootstrap|repurpose|override-version", "elasticsearch-shard remove-corrupted-data", "elasticsearch-keystore remove", "elasticsearch-users userdel" }, because = "removes data or settings of a node" },
  },
}
