-- Email. Source: the API reference of each service; docs.aws.amazon.com/cli/latest/reference/ses and sesv2.

return [[
email: SES, SendGrid, Mailgun, Postmark, Mailchimp, Resend, Postfix
SHOW = A GET of the same address shows what it is
values aws = --profile --region --output --query
ses | aws ses|sesv2 delete-*|remove-*|put-account-sending-attributes|update-account-sending-enabled | removes a
  sender, a template or settings | Use get or list to see what there is
sendgrid | @http DELETE api.sendgrid.com/* | removes templates, keys, senders or their settings | $SHOW
mailgun | @http DELETE api.mailgun.net/* api.eu.mailgun.net/* | removes domains, lists or their settings | $SHOW
postmark | @http DELETE api.postmarkapp.com/* | removes servers, templates or senders | $SHOW
others | @http DELETE *.api.mailchimp.com/* mandrillapp.com/* api.resend.com/* api.sparkpost.com/* api.brevo.com/*
  api.mailjet.com/* | removes lists, keys or senders | $SHOW
postfix | postsuper -d ; exim -Mrm | removes mail that waits to be sent | postqueue -p lists it
]]
