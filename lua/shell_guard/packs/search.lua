-- Search engines. Source: elastic.co/guide/en/elasticsearch/reference, docs.opensearch.org,
-- meilisearch.com/docs/reference/api,
-- algolia.com/doc/rest-api, typesense.org/docs.

return [[
indexes of Elasticsearch, OpenSearch, Algolia, Meilisearch, Typesense and Solr
SHOW = A GET of the same address shows what it is
elasticsearch-delete | @http DELETE *:9200/* *elastic*/* *opensearch*/* *.es.amazonaws.com/* */_all */_snapshot/*
  */_data_stream/* | removes an index or what is in it | $SHOW
elasticsearch-delete-by-query | @http POST */_delete_by_query* | removes all documents that a query matches | Use
  _count with the same query first
elasticsearch-close | @http POST */_close *:9200/*/_flush/synced */_forcemerge* *:9200/_cluster/reroute* | takes an
  index out of use
elasticsearch-settings | @http PUT */_cluster/settings* *:9200/*/_settings* | changes settings of a whole cluster
  | Let the user do it
meilisearch-delete | @http DELETE *:7700/* *meilisearch*/* | removes an index, its documents or a key | $SHOW
meilisearch-delete-batch | @http POST */documents/delete-batch* */documents/delete | removes documents | $SHOW
algolia-delete | @http DELETE *.algolia.net/* *.algolianet.com/* | removes an index, its records or a key | $SHOW
algolia-clear | @http POST *.algolia.net/*/clear *.algolia.net/*/deletebyquery *.algolia.net/*/deleteByQuery | removes
  records of an index | $SHOW
algolia-cli | algolia indices|index delete|clear ; algolia objects|rules|synonyms|apikeys|profile|dictionary
  delete|remove|clear ; algolia objects delete | removes an index, its records or a key
algolia-code | node|nodejs|python|python3|ruby|php ; @says .deleteindex( ; @says .clearobjects( ; @says .deleteby( ;
  @says .delete_index( ; @says .clear_objects( ; @says .deletealiases( ; @says .indices.delete( ; @says
  .delete_by_query( | removes an index or its records from within a program
typesense-delete | @http DELETE *:8108/* *typesense*/* | removes a collection or its documents | $SHOW
solr-delete | solr delete | removes a core or a collection
elasticsearch-tools | curator_cli delete-indices|delete-snapshots|delete_indices|delete_snapshots ; elasticsearch-node
  detach-cluster|unsafe-bootstrap|repurpose|override-version ; elasticsearch-shard remove-corrupted-data ;
  elasticsearch-keystore remove ; elasticsearch-users userdel | removes data or settings of a node
]]
