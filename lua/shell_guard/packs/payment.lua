-- Payment. Source: docs.stripe.com/cli, docs.stripe.com/api, developer.squareup.com/reference,
-- developer.paypal.com/braintree.

return [[
payment: Stripe, Square, Braintree, PayPal, Adyen
stripe | stripe * delete ; stripe delete ; stripe api_keys roll ; stripe subscriptions|payment_intents|payouts|
  transfers cancel|reverse ; stripe refunds|payouts|transfers|charges create | removes or moves what customers pay
  with | Use retrieve to see what it is
stripe-http | @http DELETE api.stripe.com/* | removes what customers pay with
square | square * delete|disable|cancel ; square catalog batch-delete | removes what customers pay with
square-http | @http DELETE connect.squareup.com/* api.squareup.com/* | removes what customers pay with
braintree-http | @http DELETE api.braintreegateway.com/* *.braintreegateway.com/* | removes what customers pay with
others-http | @http DELETE api.paypal.com/* api-m.paypal.com/* *.adyen.com/* api.mollie.com/* api.razorpay.com/*
  api.paddle.com/* api.chargebee.com/* | removes what customers pay with
code | node|nodejs|python|python3|ruby|php|java ; @says braintree.customer.delete ; @says gateway.customer.delete ;
  @says gateway.merchant_account.delete ; @says gateway.payment_method.delete ; @says gateway.subscription.cancel ;
  @says gateway.transaction.refund ; @says stripe.customers.del ; @says stripe.customer.delete ; @says
  stripe.subscriptions.cancel ; @says stripe.products.del | removes what customers pay with from within a program
]]
