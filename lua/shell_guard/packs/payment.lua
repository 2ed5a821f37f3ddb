-- Payment. Source: docs.stripe.com/cli, docs.stripe.com/api, developer.squareup.com/reference, developer.paypal.com/braintree.

return {
  about = "payment: Stripe, Square, Braintree, PayPal, Adyen",
  rules = {
    { "stripe", runs = { "stripe * delete", "stripe delete", "stripe api_keys roll", "stripe subscriptions|payment_intents|payouts|transfers cancel|reverse", "stripe refunds|payouts|transfers|charges create" }, because = "removes or moves what customers pay with", instead = "Use retrieve to see what it is" },
    { "stripe-http", http = { "DELETE", "api.stripe.com/*" }, because = "removes what customers pay with" },
    { "square", runs = { "square * delete|disable|cancel", "square catalog batch-delete" }, because = "removes what customers pay with" },
    { "square-http", http = { "DELETE", "connect.squareup.com/*", "api.squareup.com/*" }, because = "removes what customers pay with" },
    { "braintree-http", http = { "DELETE", "api.braintreegateway.com/*", "*.braintreegateway.com/*" }, because = "removes what customers pay with" },
    { "others-http", http = { "DELETE", "api.paypal.com/*", "api-m.paypal.com/*", "*.adyen.com/*", "api.mollie.com/*", "api.razorpay.com/*", "api.paddle.com/*", "api.chargebee.com/*" }, because = "removes what customers pay with" },
    { "code", runs = "node|nodejs|python|python3|ruby|php|java", says = { "braintree.customer.delete", "gateway.customer.delete", "gateway.merchant_account.delete", "gateway.payment_method.delete", "gateway.subscription.cancel", "gateway.transaction.refund", "stripe.customers.del", "stripe.customer.delete", "stripe.subscriptions.cancel", "stripe.products.del" }, because = "removes what customers pay with from within a program" },
  },
}
